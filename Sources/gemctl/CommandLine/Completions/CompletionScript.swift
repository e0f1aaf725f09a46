/// The scripts of `gemctl completions`.
///
/// Each passes the words of the line to ``LineCompletion`` and offers its answer.
enum CompletionScript: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  static let names = allCases.map(\.rawValue)

  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  // The script does without the bash-completion package and without anything newer than bash 3.2, which macOS has.
  private static let bashText = #"""
    # Completes gemctl in bash; made by "gemctl completions bash".

    _gemctl() {
      local current="${COMP_WORDS[COMP_CWORD]}" line IFS=$'\n'
      COMPREPLY=()
      [[ $current == "=" || $current == ":" ]] && current=""
      while IFS= read -r line; do
        case "$line" in
          $'\tfiles') compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
          $'\tdirectories') compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")) ;;
          *)
            # An amount follows without a space.
            [[ $line == *= ]] && compopt -o nospace 2>/dev/null
            # A name of the home is text, which the shell must not expand.
            printf -v line '%q' "$line"
            COMPREPLY+=("$line") ;;
        esac
      done < <(gemctl __complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    }

    complete -F _gemctl gemctl

    """#

  private static let zshText = #"""
    #compdef gemctl
    # Completes gemctl in zsh; made by "gemctl completions zsh".

    _gemctl() {
      local line
      local -a offers amounts
      # After "--option=" the value is completed.
      [[ $words[CURRENT] == --*=* ]] && compset -P '*='
      for line in "${(@f)$(gemctl __complete zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
          ('') ;;
          ($'\tfiles') _files ;;
          ($'\tdirectories') _files -/ ;;
          (*=) amounts+=($line) ;;
          (*) offers+=("${${line%%$'\t'*}//:/\\:}${${(M)line#*$'\t'}:+:${line#*$'\t'}}") ;;
        esac
      done
      # An amount follows without a space.
      (( $#amounts )) && compadd -S '' -a amounts
      (( $#offers )) && _describe -t offers 'offer' offers
    }

    if [[ $funcstack[1] == _gemctl ]]; then _gemctl "$@"; else compdef _gemctl gemctl; fi

    """#

  private static let fishText = #"""
    # Completes gemctl in fish; made by "gemctl completions fish".

    function __gemctl_complete
        set -l words (commandline -opc)
        set -e words[1]
        set -l current (commandline -ct)
        # After "--option=" the value is completed.
        set -l option (string match -r -- '^--[^=]*=' "$current")
        set -l value (string sub -s (math (string length -- "$option") + 1) -- "$current")
        for line in (gemctl __complete fish -- $words "$current" 2>/dev/null)
            switch $line
                case \tfiles
                    printf '%s\n' "$option"(__fish_complete_path "$value")
                case \tdirectories
                    printf '%s\n' "$option"(__fish_complete_directories "$value")
                case '*'
                    printf '%s\n' "$option$line"
            end
        end
    end

    complete -c gemctl -f -a '(__gemctl_complete)'

    """#
}
