// The script does without the bash-completion package and without anything newer than bash 3.2, which macOS has.
extension CompletionScript {
  var bash: String {
    """
    # Completes gemctl in bash; made by "gemctl completions bash".

    \(bashTakesValue)

    \(bashCase("_gemctl_second_words", heads.map { ("\"\($0)\"", secondWords(of: $0).joined(separator: " ")) }))

    \(bashCase("_gemctl_options", bashOptionRows))

    # Allowed values: words, or a kind that begins with @. By verb and option, or verb and position.
    \(bashCase("_gemctl_values", bashValueRows))

    \(bashOffer)

    \(Self.bashMain)

    complete -F _gemctl gemctl

    """
  }

  private var bashTakesValue: String {
    """
    _gemctl_takes_value() {
      case "$1" in
        \(valueOptionNames.joined(separator: " | "))) return 0 ;;
      esac
      return 1
    }
    """
  }

  private var bashOptionRows: [(pattern: String, words: String)] {
    verbs.filter { !$0.options.isEmpty }.map { ("\"\($0.name)\"", $0.options.map(\.name).joined(separator: " ")) }
  }

  private var bashValueRows: [(pattern: String, words: String)] {
    var rows = Option.global.compactMap { option in bashWords(option.kind).map { ("*\":\(option.name)\"", $0) } }
    for verb in verbs {
      for option in verb.options {
        if let words = bashWords(option.kind) { rows.append(("\"\(verb.name):\(option.name)\"", words)) }
      }
      for (index, argument) in verb.arguments.enumerated() {
        let pattern = argument.arity.repeats ? "\"\(verb.name):\"[0-9]*" : "\"\(verb.name):\(index)\""
        if let words = bashWords(argument.kind) { rows.append((pattern, words)) }
      }
    }
    return rows
  }

  private func bashWords(_ kind: ValueKind) -> String? {
    switch kind {
    case .text: nil
    case .file: "@file"
    case .directory: "@directory"
    case .verb: "@verb"
    case .name(let kind): "@\(kind.rawValue)"
    case .oneOf(let words): words.joined(separator: " ")
    }
  }

  private func bashCase(_ name: String, _ rows: [(pattern: String, words: String)]) -> String {
    let cases = rows.map { "    \($0.pattern)) echo \"\($0.words)\" ;;\n" }.joined()
    return "\(name)() {\n  case \"$1\" in\n\(cases)  esac\n}"
  }

  private var bashOffer: String {
    """
    _gemctl_first_words="\(firstWords.joined(separator: " "))"
    _gemctl_global_options="\(Option.global.map(\.name).joined(separator: " "))"

    # Names of the home. They are not passed to compgen -W, which would expand them.
    _gemctl_offer_names() {
      local name
      while IFS= read -r name; do
        [[ $name == "$2"* ]] || continue
        # An amount follows without a space.
        [[ $name == *= ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("$(printf '%q' "$name")")
      done < <(gemctl ${home:+--home "${home/#\\~/$HOME}"} candidates "$1" 2>/dev/null)
    }

    _gemctl_offer() {
      local IFS=$' \\t\\n'
      case "$1" in
        "") ;;
        @file) IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$2")) ;;
        @directory) IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$2")) ;;
        \(Candidates.allCases.map { "@\($0.rawValue)" }.joined(separator: " | "))) _gemctl_offer_names "${1#@}" "$2" ;;
        *) COMPREPLY=($(compgen -W "$1" -- "$2")) ;;
      esac
    }
    """
  }

  // bash splits words at "=" and ":"; the loop joins the parts again.
  private static let bashMain = """
    _gemctl() {
      local cur="${COMP_WORDS[COMP_CWORD]}" verb="" home="" ended="" count=0 i word words
      COMPREPLY=()
      [[ $cur == "=" ]] && cur=""
      for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ $word == "=" || $word == ":" ]]; then
          [[ ${COMP_WORDS[i - 1]} == memory ]] || ((i++))
        elif [[ -z $ended && $word == -- ]]; then
          ended=1
        elif [[ -z $ended && $word == -* ]]; then
          _gemctl_takes_value "$word" || continue
          [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((i++))
          ((i++))
          [[ $word == --home ]] && home="${COMP_WORDS[i]}"
          ((i < COMP_CWORD)) && continue
          _gemctl_offer "$(_gemctl_values "$verb:$word")" "$cur"
          return
        elif [[ -z $verb ]]; then
          verb="$word"
        elif [[ $count == 0 && " $(_gemctl_second_words "$verb") " == *" $word "* ]]; then
          verb="$verb $word"
        else
          ((count++))
        fi
      done
      if [[ -z $ended && $cur == -* ]]; then
        _gemctl_offer "$(_gemctl_options "$verb") $_gemctl_global_options" "$cur"
        return
      fi
      if [[ -z $verb ]]; then
        words="$_gemctl_first_words"
      else
        words="$(_gemctl_second_words "$verb")"
        [[ -n $words && $count == 0 ]] || words="$(_gemctl_values "$verb:$count")"
      fi
      if [[ $words == @verb ]]; then
        words="$(_gemctl_second_words "${COMP_WORDS[COMP_CWORD - 1]}")"
        [[ $count == 0 ]] && words="$_gemctl_first_words"
      fi
      _gemctl_offer "$words" "$cur"
    }
    """
}
