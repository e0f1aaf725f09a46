import XCTest

@testable import gemctl

final class ParserTests: XCTestCase {
  func testUnderstandsWords() throws {
    let rows: [(line: UInt, words: String, verb: String, positionals: [String])] = [
      (#line, "", "help", []),
      (#line, "balance", "balance", []),
      (#line, "balance GEM", "balance", ["GEM"]),
      (#line, "catalog show", "catalog show", []),
      (#line, "catalog --json check c.json", "catalog check", ["c.json"]),
      (#line, "catalog apply - --dry-run", "catalog apply", ["-"]),
      (#line, "--home h --customer alice buy p", "buy", ["p"]),
      (#line, "buy -- --json", "buy", ["--json"]),
      (#line, "spend GEM=1 GOLD=2", "spend", ["GEM=1", "GOLD=2"]),
      (#line, "spend --item extra_life", "spend", []),
      (#line, "help catalog apply", "help", ["catalog", "apply"]),
      (#line, "balance --help", "help", ["balance"]),
      (#line, "-h", "help", []),
      (#line, "buy -h", "help", ["buy"]),
      (#line, "catalog --help", "help", ["catalog"]),
      (#line, "catalog apply --help", "help", ["catalog", "apply"]),
      (#line, "--version", "version", []),
      (#line, "--json version", "version", []),
    ]
    for row in rows {
      let parsed = try Parser.parse(row.words.split(separator: " ").map(String.init))
      XCTAssertEqual(parsed.verb.name, row.verb, line: row.line)
      XCTAssertEqual(parsed.positionals, row.positionals, line: row.line)
    }
  }

  func testTakesValuesInBothFormsAndInOrder() throws {
    let parsed = try Parser.parse([
      "--json", "spend", "--minimum", "GEM=5", "GEM=1", "--key=-k", "--minimum=GOLD=7", "--reason=a=b", "--dry-run",
    ])
    XCTAssertEqual(parsed.options.map(\.name), ["--minimum", "--key", "--minimum", "--reason"])
    XCTAssertEqual(parsed.values("--minimum"), ["GEM=5", "GOLD=7"])
    XCTAssertEqual(parsed.value("--key"), "-k")
    XCTAssertEqual(parsed.value("--reason"), "a=b")
    XCTAssertNil(parsed.value("--reference"))
    XCTAssertTrue(parsed.isJSON && parsed.isDryRun)
  }

  func testCutsOptionsByBytes() throws {
    XCTAssertEqual(try Parser.parse(["buy", "a", "--key=\u{301}x"]).value("--key"), "\u{301}x")
    XCTAssertThrowsError(try Parser.parse(["buy", "a", "--key", "-\u{301}x"]))
  }

  func testRefusesWhatItDoesNotUnderstand() {
    let rows: [(line: UInt, words: [String], sentence: String)] = [
      (#line, ["blance"], "unknown verb \"blance\". Did you mean \"balance\"?"),
      (#line, ["xyzzy"], "unknown verb \"xyzzy\"."),
      (#line, [""], "unknown verb \"\"."),
      (#line, ["--json"], "a verb is missing."),
      (#line, ["catalog"], "\"catalog\" needs show, check, apply or history."),
      (#line, ["catalog", "chek", "f"], "unknown verb \"catalog chek\". Did you mean \"catalog check\"?"),
      (
        #line, ["catalog", "zzzzzz"],
        "unknown verb \"catalog zzzzzz\"; \"catalog\" takes show, check, apply or history."
      ),
      (#line, ["history", "--limt", "5"], "unknown option \"--limt\" of \"history\". Did you mean \"--limit\"?"),
      (#line, ["--jsn", "verify"], "unknown option \"--jsn\". Did you mean \"--json\"?"),
      (#line, ["--limit", "5", "history"], "\"--limit\" must follow its verb."),
      (#line, ["buy"], "\"buy\" needs PRODUCT."),
      (#line, ["buy", "a", "b"], "\"buy\" does not take the argument \"b\"."),
      (#line, ["grant", "--reason", "x"], "\"grant\" needs CODE=AMOUNT."),
      (#line, ["grant", "GEM=1"], "\"grant\" needs --reason TEXT."),
      (#line, ["buy", "a", "--key"], "--key needs a value: --key KEY."),
      (#line, ["buy", "a", "--key="], "--key needs a value, not an empty text."),
      (#line, ["buy", "a", "--key", ""], "--key needs a value, not an empty text."),
      (
        #line, ["buy", "a", "--key", "--json"],
        "--key needs a value, and \"--json\" begins with a dash; write --key=KEY to use it as the value."
      ),
      (#line, ["buy", "a", "--key", "k", "--key=k"], "--key is given twice."),
      (#line, ["--home", "a", "verify", "--home", "b"], "--home is given twice."),
      (#line, ["verify", "--json=yes"], "--json takes no value."),
      (
        #line, ["offerings", "--store", "aple"],
        "--store takes apple or google, not \"aple\". Did you mean \"apple\"?"
      ),
      (#line, ["completions", "ksh"], "SHELL takes bash, zsh or fish, not \"ksh\". Did you mean \"zsh\"?"),
      (#line, ["\u{1B}[2J"], "unknown verb \"\\u{1B}[2J\"."),
    ]
    for row in rows {
      XCTAssertThrowsError(try Parser.parse(row.words), line: row.line) { error in
        XCTAssertEqual((error as? UsageError)?.sentence, row.sentence, line: row.line)
      }
    }
  }

  /// Cursors use the characters of Base64 for URLs, and a dash is one of them.
  func testACursorMayBeginWithADash() throws {
    XCTAssertEqual(try Parser.parse(["history", "--after", "-OAwQK8"]).value("--after"), "-OAwQK8")
    XCTAssertThrowsError(try Parser.parse(["history", "--after", "--json"]))
    XCTAssertThrowsError(try Parser.parse(["history", "--after", "--limit"]))
  }

  func testPlainVerbMayHaveSubverbs() throws {
    let queue = Verb(
      name: "queue", group: .client, summary: "", arguments: [Argument("ID", arity: .optional, help: "")],
      options: [.limit], examples: []
    ) { _ in }
    let verbs = [queue, Verb(name: "queue drain", group: .client, summary: "", examples: []) { _ in }]
    XCTAssertEqual(try Parser.parse(["queue"], verbs: verbs).verb.name, "queue")
    XCTAssertEqual(try Parser.parse(["queue", "drain"], verbs: verbs).verb.name, "queue drain")
    XCTAssertEqual(try Parser.parse(["queue", "q1"], verbs: verbs).positionals, ["q1"])
    XCTAssertEqual(try Parser.parse(["queue", "--limit", "1", "drain"], verbs: verbs).positionals, ["drain"])
  }

  func testReadsWholeNumbers() throws {
    let parsed = try Parser.parse(["history", "--limit", "20"])
    XCTAssertEqual(try parsed.integer("--limit", in: 1...1000), 20)
    XCTAssertNil(try parsed.integer("--after", in: 1...1000))
    for text in ["0", "1001", "x", "1.5", "020", "99999999999999999999"] {
      let parsed = try Parser.parse(["history", "--limit", text])
      XCTAssertThrowsError(try parsed.integer("--limit", in: 1...1000), text) { error in
        XCTAssertEqual((error as? UsageError)?.verbName, "history")
      }
    }
  }

  func testFindsJSONWithoutUnderstandingTheRest() {
    XCTAssertTrue(Parser.asksForJSON(["blance", "--json"]))
    XCTAssertFalse(Parser.asksForJSON(["buy", "--", "--json"]))
  }

  func testOptionsWinOverTheEnvironment() throws {
    let variables = ["GEMCTL_HOME": "there", "GEMCTL_STORAGE": "memory:", "GEMCTL_CUSTOMER": ""]
    let parsed = try Parser.parse(["--home=here", "verify", "--device", "phone"])
    let settings = try GlobalSettings(parsed) { variables[$0] }
    XCTAssertEqual(settings.home, "here")
    XCTAssertEqual(settings.storage, "memory:")
    XCTAssertNil(settings.customer)
    XCTAssertEqual(settings.device, "phone")
    XCTAssertEqual(try GlobalSettings(try Parser.parse(["verify"])) { _ in nil }.home, ".gemctl")
  }
}
