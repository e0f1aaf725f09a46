import XCTest

/// The scripts of `completions` in the shells themselves, where these are installed.
final class CompletionShellTests: XCTestCase {
  /// Lines, and the first words of the offers to them.
  private static let rows: [(line: UInt, typed: String, offers: [String])] = [
    (#line, "gemctl ba", ["backup", "balance", "basket"]),
    (#line, "gemctl --home shop buy ", ["gems_1200", "gems_300", "gems_6500"]),
    (#line, "gemctl --home=shop buy gems_1", ["gems_1200"]),
    (#line, "gemctl --home shop spend --item ", ["extra_life", "legendary_skin"]),
    (#line, "gemctl --home shop login ", ["alice", "bob"]),
    (#line, "gemctl --home shop grant ", ["GEM="]),
    (#line, "gemctl --home shop statement --zone Europe/Berli", ["Europe/Berlin"]),
    (#line, "gemctl queue ", ["drain", "list", "requeue"]),
    (#line, "gemctl clock ", ["advance"]),
    (#line, "gemctl store settings ti", ["time-rate"]),
    (#line, "gemctl store fault fi", ["finish"]),
    // The second argument is another choice than the first.
    (#line, "gemctl store fault purchase ca", ["cancel"]),
    (#line, "gemctl help cat", ["catalog"]),
    (#line, "gemctl help catalog ", ["apply", "check", "history", "show"]),
    (#line, "gemctl completions ", ["bash", "fish", "zsh"]),
    (#line, "gemctl catalog apply --dry", ["--dry-run"]),
  ]

  private func home() throws -> TestHome {
    let home = try TestHome()
    // The signed-in customer was anonymous before: its id of now is offered.
    let made = "gemctl --home shop init && gemctl --home shop login bob"
    let granted = "gemctl --home shop grant GEM=1 --reason x --customer alice"
    XCTAssertEqual(try home.raw("{ \(made) && \(granted); } > /dev/null").status, 0)
    return home
  }

  private func require(_ shell: String) throws {
    try XCTSkipUnless(try Shell.run("command -v \(shell)").status == 0, "there is no \(shell)")
  }

  func testFishCompletes() throws {
    try require("fish")
    let home = try home()
    for row in Self.rows {
      let answer = try home.raw(
        """
        gemctl completions fish > gemctl.fish
        HOME="$PWD" fish --no-config -c "source gemctl.fish; complete -C '\(row.typed)'"
        """)
      XCTAssertEqual(answer.error, "", line: row.line)
      let offers = answer.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first }
      XCTAssertEqual(offers.map(String.init).sorted(), row.offers, line: row.line)
    }
    // A product is one word: behind it there are only options.
    let behind = try home.raw(
      "HOME=\"$PWD\" fish --no-config -c \"source gemctl.fish; complete -C 'gemctl --home shop buy gems_300 '\"")
    XCTAssertEqual(behind.output, "")
  }

  /// zsh has no way to ask for offers but a terminal; its own `zpty` is one.
  func testZshCompletes() throws {
    try require("zsh")
    let home = try home()
    XCTAssertEqual(try home.raw("mkdir functions && gemctl completions zsh > functions/_gemctl").status, 0)
    for row in Self.rows {
      let answer = try home.raw(
        """
        HOME="$PWD" zsh -f <<'END'
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PS1=; stty cols 200 rows 200; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u'
        # The offers themselves, instead of a list on a screen.
        zpty -w shell 'compadd() { local -a all; builtin compadd -A all "$@"; builtin compadd "$@"'
        zpty -w shell 'print -rl -- "<offer> "${^all} }; bindkey "^I" offer; zle -N offer'
        zpty -w shell 'offer() { zle complete-word; print -r "<end>" }; print "<"ready">"'
        zpty -r shell text '*<ready>*'
        zpty -w -n shell $'\(row.typed)\t'
        zpty -r shell text '*<end>*'
        print -r -- $text
        zpty -d shell
        END
        """)
      // The first offer stands behind what was typed.
      let lines = answer.output.split(whereSeparator: \.isNewline).compactMap { line -> String? in
        line.firstRange(of: "<offer> ").map { String(line[$0.upperBound...]) }
      }
      XCTAssertEqual(Set(lines).sorted(), row.offers, line: row.line)
    }
  }
}
