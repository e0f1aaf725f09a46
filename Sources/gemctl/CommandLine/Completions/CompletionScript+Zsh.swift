extension CompletionScript {
  var zsh: String {
    """
    #compdef gemctl
    # Completes gemctl in zsh; made by "gemctl completions zsh".

    typeset -ga _gemctl_global=(
    \(lines(Option.global.flatMap(zshSpecs), indent: 2))
    )

    _gemctl_names() {
      local -a names
      # After the verb, opt_args holds the options of the verb alone.
      local home=${(Q)${opt_args[--home]:-$gemctl_home}}
      names=("${(@f)$(gemctl ${home:+--home=${home/#\\~\\//$HOME/}} candidates $1 2>/dev/null)}")
      # An amount follows without a space.
      if [[ $1 == amounts ]]; then compadd -S '' -a names; else compadd -a names; fi
    }

    _gemctl_verbs() {
      local -a verbs=(
    \(lines(firstWords.map { zshQuoted("\($0):\(summary(ofFirstWord: $0))") }, indent: 4))
      )
      _describe -t verbs 'verb' verbs
    }

    \(heads.map(zshHead).joined(separator: "\n\n"))

    _gemctl_topics() {
      if (( CURRENT == 2 )); then
        _gemctl_verbs
      elif (( CURRENT == 3 && $+functions[_gemctl_${words[2]}_verbs] )); then
        _gemctl_${words[2]}_verbs
      fi
    }

    _gemctl() {
      local curcontext="$curcontext" state line gemctl_home
      typeset -A opt_args
      _arguments -C $_gemctl_global '1:verb:_gemctl_verbs' '*::argument:->rest'
      [[ $state == rest ]] || return
      gemctl_home=$opt_args[--home]
      case $line[1] in
    \(lines(firstWords.map(zshBranch), indent: 4))
      esac
    }

    if [[ $funcstack[1] == _gemctl ]]; then _gemctl "$@"; else compdef _gemctl gemctl; fi

    """
  }

  private func zshHead(_ head: String) -> String {
    let verbs = Verb.subverbs(of: head, in: verbs)
    return """
      _gemctl_\(head)_verbs() {
        local -a verbs=(
      \(lines(verbs.map { zshQuoted("\($0.words.last ?? ""):\($0.summary)") }, indent: 4))
        )
        _describe -t verbs 'verb' verbs
      }

      _gemctl_\(head)() {
        local curcontext="$curcontext" state line
        typeset -A opt_args
        _arguments -C $_gemctl_global '1:verb:_gemctl_\(head)_verbs' '*::argument:->rest'
        [[ $state == rest ]] || return
        case $line[1] in
      \(lines(verbs.map { "\($0.words.last ?? "")) \(zshArguments($0)) ;;" }, indent: 4))
        esac
      }
      """
  }

  private func zshBranch(_ word: String) -> String {
    if heads.contains(word) { return "\(word)) _gemctl_\(word) ;;" }
    guard let verb = Verb.named(word, in: verbs) else { return "" }
    return "\(word)) \(zshArguments(verb)) ;;"
  }

  private func zshArguments(_ verb: Verb) -> String {
    let positionals = verb.arguments.enumerated().map { index, argument in
      let position = argument.arity.repeats ? "*:" : argument.arity.isRequired ? "\(index + 1):" : "\(index + 1)::"
      return zshQuoted("\(position)\(argument.name):\(zshAction(argument.kind))")
    }
    return (["_arguments $_gemctl_global"] + verb.options.flatMap(zshSpecs) + positionals).joined(separator: " ")
  }

  private func zshSpecs(_ option: Option) -> [String] {
    let help = option.help.replacing("[", with: "\\[").replacing("]", with: "\\]")
    let value = option.value.map { ":\($0):\(zshAction(option.kind))" } ?? ""
    let names = [option.short, option.name + (option.value == nil ? "" : "=")].compactMap { $0 }
    return names.map { zshQuoted("\(option.isRepeatable ? "*" : "")\($0)[\(help)]\(value)") }
  }

  private func zshAction(_ kind: ValueKind) -> String {
    switch kind {
    case .text: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .verb: "_gemctl_topics"
    case .name(let kind): " _gemctl_names \(kind.rawValue)"
    case .oneOf(let words): "(\(words.joined(separator: " ")))"
    }
  }

  private func zshQuoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }

  private func lines(_ lines: [String], indent: Int) -> String {
    lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
  }
}
