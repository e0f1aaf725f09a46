extension CompletionScript {
  var fish: String {
    ([fishFunctions, "complete -c gemctl -f"] + Option.global.map { fishOption($0, condition: nil) }
      + firstWords.map { fishWord($0, summary: summary(ofFirstWord: $0), condition: "__gemctl_is") }
      + heads.flatMap(fishSecondWords) + verbs.flatMap(fishVerb)).joined(separator: "\n") + "\n"
  }

  private var fishFunctions: String {
    """
    # Completes gemctl in fish; made by "gemctl completions fish".

    # The words before the cursor that are neither options nor their values.
    function __gemctl_words
        set -l words (commandline -opc)
        set -l skip no
        for word in $words[2..-1]
            if test $skip = yes
                set skip no
                continue
            end
            switch $word
                case \(valueOptionNames.joined(separator: " "))
                    set skip yes
                case '-*'
                case '*'
                    printf '%s\\n' $word
            end
        end
    end

    # The names of one kind in the home that the line names.
    function __gemctl_names
        set -l words (commandline -opc)
        set -l home
        for index in (seq (count $words))
            if test "$words[$index]" = --home
                set -l next (math $index + 1)
                set -q words[$next]; and set home --home $words[$next]
            else if string match -q -- '--home=*' $words[$index]
                set home $words[$index]
            end
        end
        gemctl (string replace -r '(^|=)~/' "\\$1$HOME/" -- $home) candidates $argv[1] 2>/dev/null
    end

    # Whether these are all the words.
    function __gemctl_is
        set -l words (__gemctl_words)
        test "$words" = "$argv"
    end

    # Whether the words begin with these.
    function __gemctl_begins
        set -l words (__gemctl_words)
        set -l count (count $argv)
        test (count $words) -ge $count; and test "$words[1..$count]" = "$argv"
    end

    # Whether the words are these, followed by this number of arguments.
    function __gemctl_at
        set -l words (__gemctl_words)
        set -l count (count $argv[2..-1])
        test (count $words) -eq (math $count + $argv[1]); and test "$words[1..$count]" = "$argv[2..-1]"
    end

    """
  }

  private func fishSecondWords(of head: String) -> [String] {
    Verb.subverbs(of: head, in: verbs).map {
      fishWord($0.words.last ?? "", summary: $0.summary, condition: "__gemctl_is \(head)")
    }
  }

  private func fishVerb(_ verb: Verb) -> [String] {
    let condition = "__gemctl_begins \(verb.name)"
    let arguments = verb.arguments.enumerated().flatMap { index, argument in
      guard argument.kind != .verb else { return fishTopics(of: verb) }
      let place = argument.arity.repeats ? condition : "__gemctl_at \(index) \(verb.name)"
      return fishValue(argument.kind).map { ["complete -c gemctl -n \(fishQuoted(place)) \($0)"] } ?? []
    }
    return verb.options.map { fishOption($0, condition: condition) } + arguments
  }

  /// The names of verbs, a word at a time.
  private func fishTopics(of verb: Verb) -> [String] {
    let place = "__gemctl_at 0 \(verb.name)"
    let second = heads.flatMap { head in
      Verb.subverbs(of: head, in: verbs).map {
        fishWord($0.words.last ?? "", summary: $0.summary, condition: "__gemctl_is \(verb.name) \(head)")
      }
    }
    return firstWords.map { fishWord($0, summary: summary(ofFirstWord: $0), condition: place) } + second
  }

  private func fishOption(_ option: Option, condition: String?) -> String {
    var parts = ["complete -c gemctl"]
    if let condition { parts.append("-n \(fishQuoted(condition))") }
    if let short = option.short { parts.append("-s \(short.dropFirst())") }
    parts.append("-l \(option.name.dropFirst(2))")
    if option.value != nil { parts.append("-r \(fishValue(option.kind) ?? "-f")") }
    return (parts + ["-d \(fishQuoted(option.help))"]).joined(separator: " ")
  }

  private func fishWord(_ word: String, summary: String, condition: String) -> String {
    "complete -c gemctl -n \(fishQuoted(condition)) -a \(word) -d \(fishQuoted(summary))"
  }

  private func fishValue(_ kind: ValueKind) -> String? {
    switch kind {
    // Verbs have separate conditions.
    case .text, .verb: nil
    case .file: "-F"
    case .directory: "-f -a '(__fish_complete_directories)'"
    case .name(let kind): "-f -a '(__gemctl_names \(kind.rawValue))'"
    case .oneOf(let words): "-f -a \(fishQuoted(words.joined(separator: " ")))"
    }
  }

  private func fishQuoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
