import XCTest

@testable import gemctl

final class VerbTests: XCTestCase {
  func testEveryVerbIsDescribed() {
    for verb in Verb.all {
      XCTAssertFalse(verb.examples.isEmpty, verb.name)
      XCTAssertTrue((1...2).contains(verb.words.count), verb.name)
      for text in [verb.summary] + verb.options.map(\.help) + verb.arguments.map(\.help) {
        XCTAssertFalse(text.isEmpty || text.hasSuffix("."), "\(verb.name): \(text)")
      }
    }
  }

  func testNamesAreUnique() {
    XCTAssertEqual(Set(Verb.all.map(\.name)).count, Verb.all.count)
    for verb in Verb.all {
      let names = (verb.options + Option.global).map(\.name)
      XCTAssertEqual(Set(names).count, names.count, verb.name)
    }
  }

  /// Completions skip an option's value before they know the verb.
  func testAnOptionTakesAValueEverywhereOrNowhere() {
    var takesValue: [String: Bool] = [:]
    for option in Option.global + Verb.all.flatMap(\.options) {
      XCTAssertEqual(takesValue[option.name] ?? (option.value != nil), option.value != nil, option.name)
      takesValue[option.name] = option.value != nil
    }
  }

  func testEveryExampleIsUnderstood() throws {
    for verb in Verb.all {
      for example in verb.examples where example.hasPrefix("gemctl ") {
        XCTAssertEqual(try Parser.parse(words(of: example)).verb.name, verb.name, example)
      }
    }
  }

  func testUsageListsWhatAVerbTakes() {
    let rows: [(line: UInt, verb: String, usage: String)] = [
      (#line, "init", "Usage: gemctl init [CATALOG.json] [OPTIONS]"),
      (#line, "catalog show", "Usage: gemctl catalog show [--with-version]"),
      (#line, "catalog apply", "Usage: gemctl catalog apply FILE [OPTIONS]"),
      (#line, "buy", "Usage: gemctl buy PRODUCT [OPTIONS]"),
      (#line, "grant", "Usage: gemctl grant CODE=AMOUNT... --reason TEXT [OPTIONS]"),
      (#line, "hold", "Usage: gemctl hold CODE=AMOUNT... [OPTIONS]"),
      (#line, "capture", "Usage: gemctl capture HOLD [CODE=AMOUNT...] [OPTIONS]"),
      (#line, "extend", "Usage: gemctl extend HOLD --for TIME [OPTIONS]"),
      (#line, "transfer", "Usage: gemctl transfer CODE=AMOUNT... --from ID --to ID [OPTIONS]"),
      (#line, "erase", "Usage: gemctl erase [--dry-run]"), (#line, "holds", "Usage: gemctl holds"),
      (#line, "spend", "Usage: gemctl spend CODE=AMOUNT... [OPTIONS] | --item ID [--quantity N] [OPTIONS]"),
    ]
    for row in rows { XCTAssertEqual(UsageLine.short(Verb.named(row.verb)), row.usage, line: row.line) }
  }

  /// The words up to a redirection; quoted words as one.
  private func words(of example: String) -> [String] {
    var words: [String] = []
    for (index, part) in example.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      words += index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }
    return Array(words.prefix { $0 != ">" }.dropFirst())
  }
}
