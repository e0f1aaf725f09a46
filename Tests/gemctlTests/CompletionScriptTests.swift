import XCTest

@testable import gemctl

final class CompletionScriptTests: XCTestCase {
  func testBashCompletes() throws {
    let all = Verb.firstWords().joined(separator: " ")
    let rows: [(line: UInt, words: [String], offers: String)] = [
      (#line, [""], all),
      (#line, ["ba"], "balance basket backup"),
      (#line, ["hold"], "hold holds"), (#line, ["capture", "--k"], "--keep-open --key"),
      (#line, ["exchange", "--rounding", "n"], "nearest"), (#line, ["basket", "cat"], "catalog.json"),
      (#line, ["--json", "ver"], "verify version"),
      (#line, ["--customer", "bob", "hi"], "history"),
      (#line, ["--customer", "=", "bob", "hi"], "history"),
      (#line, ["--storage", "sqlite", ":", "/x", "hi"], "history"),
      (#line, ["--storage", "memory", ":", "hi"], "history"),
      (#line, ["--customer", ""], ""),
      (#line, ["--st"], "--storage --store-account"),
      (#line, ["catalog", ""], "show check apply history"),
      (#line, ["catalog", "a"], "apply"),
      (#line, ["catalog", "apply", "--dr"], "--dry-run"),
      (#line, ["balance", "--a"], "--at --at-version --accept-clock"),
      (#line, ["balance", "--", "--a"], ""),
      (#line, ["grant", "GEM", "=", "5", "--source", "b"], "bonus"),
      (#line, ["offerings", "--store", "="], "apple google"),
      (#line, ["offerings", "--store", "=", "g"], "google"),
      (#line, ["completions", ""], "bash zsh fish"),
      (#line, ["help", "ba"], "balance basket backup"),
      (#line, ["help", "catalog", "c"], "check"),
      (#line, ["init", "cat"], "catalog.json"),
      (#line, ["catalog", "check", "my"], "my catalog.json"),
      (#line, ["--home", ""], "shop"),
      // No home, no names.
      (#line, ["buy", ""], ""),
    ]
    for row in rows { XCTAssertEqual(try offers(after: row.words), row.offers, line: row.line) }
  }

  /// What a home holds is offered as text: a shell must not expand it.
  func testBashOffersTheNamesOfTheHome() throws {
    let home = try TestHome()
    let answer = try home.raw(
      """
      gemctl --home shop init > /dev/null
      give() { gemctl --home shop grant GEM=1 --reason x --customer "$1" > /dev/null; }
      give alice; give 'al $(touch pwned)'
      source <(gemctl completions bash)
      offer() { COMP_WORDS=(gemctl "$@") COMP_CWORD=$#; _gemctl; printf '%s|' "${COMPREPLY[@]}"; echo; }
      offer --home shop buy gems_1
      offer --home = shop spend --item ""
      GEMCTL_HOME=shop offer balance --customer al
      GEMCTL_HOME=shop offer balance G
      ls
      """)
    XCTAssertEqual(
      answer.output,
      #"""
      gems_1200|
      extra_life|legendary_skin|
      alice|al\ \$\(touch\ pwned\)|
      GEM|
      shop

      """#)
    XCTAssertEqual(answer.error, "")
  }

  func testBashScriptIsRegisteredAndSound() throws {
    let answer = try Shell.run(
      "gemctl completions bash | bash -n && source <(gemctl completions bash) && complete -p gemctl")
    XCTAssertEqual(answer, Shell.Answer(status: 0, output: "complete -F _gemctl gemctl\n", error: ""))
  }

  func testZshAndFishDescribeTheirOffers() throws {
    let rows: [(line: UInt, words: [String], lines: [String])] = [
      (#line, ["bal"], ["balance\tShow a customer's balances"]),
      (#line, ["catal"], ["catalog\tOne of: show, check, apply, history"]),
      (#line, ["catalog", "a"], ["apply\tApply a catalog file"]),
      (#line, ["catalog", "apply", "--dr"], ["--dry-run\tShow the effects without changing anything"]),
      (
        #line, ["--ho"],
        ["--home\tDirectory of the ledger, the simulated store and the client (default: .gemctl)"]
      ),
      (#line, ["spend", "--minimum", "GEM=1", "--mi"], ["--minimum\tRequire a balance of at least N afterwards"]),
      (#line, ["completions", ""], ["bash", "zsh", "fish"]), (#line, ["offerings", "--store=g"], ["google"]),
      (#line, ["init", ""], ["\tfiles"]), (#line, ["catalog", "check", "x"], ["\tfiles"]),
      (#line, ["--home="], ["\tdirectories"]), (#line, ["catalog", "apply", "--dry-run", "--dr"], []),
    ]
    for row in rows {
      let line = LineCompletion(row.words)
      XCTAssertEqual(line.lines(withDescriptions: true) { _ in [] }, row.lines, line: row.line)
    }
  }

  /// Returns bash's offers for the last word, in its own order.
  private func offers(after words: [String]) throws -> String {
    let quoted = (["gemctl"] + words).map { "'\($0)'" }.joined(separator: " ")
    let answer = try Shell.run(
      """
      directory="$(mktemp -d)"
      trap 'rm -rf "$directory"' EXIT
      cd "$directory" && touch catalog.json "my catalog.json" && mkdir shop
      source <(gemctl completions bash)
      COMP_WORDS=(\(quoted)) COMP_CWORD=\(words.count)
      _gemctl
      echo "${COMPREPLY[*]}"
      """)
    XCTAssertEqual(answer.error, "")
    return String(answer.output.dropLast())
  }
}
