import Foundation
import GemTestSupport
import XCTest

/// The tables of the page about the simulated store are complete.
///
/// Each public control has its row, and each row names a test in which a client's user sees the control's effect.
final class ControlTableTests: XCTestCase {
  private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The types of a test's actions on a store; all other types of the store are values that it gives or takes.
  private static let types: Set<String> = [
    "SimulatedStore", "StoreAccount", "StoreDevice", "SimulatedPurchaseOption", "SimulatedPlayStore", "PlayAccount",
    "PlayDevice", "PaymentInstrument", "StoreFault", "StoreFault.Timing", "StoreFault.Effect", "FaultPlan", "StoreAPI",
    "SimulatedError", "StoreStep", "VirtualClock",
  ]

  /// Made or read, and no controls.
  private static let values: Set<String> = [
    "StoreFault.effect", "StoreFault.api", "StoreFault.timing", "StoreFault.init(_:on:_:account:device:)",
    "FaultPlan.faults", "FaultPlan.init(_:)", "FaultPlan.init(arrayLiteral:)", "VirtualClock.now",
    "VirtualClock.sleeperCount", "VirtualClock.storeClock", "VirtualClock.ledgerClock", "SimulatedStore.runtime",
    "SimulatedPlayStore.runtime",
  ]

  /// Enumerations without a row for each case: a test goes through all of them.
  private static let enumerations: Set<String> = [
    "StoreFailure", "VerificationFailure", "RefundRequestFailure", "ProductState", "TimeRate",
  ]

  /// As Apple's header has them.
  private static let testSession: Set<String> = [
    "init(configurationFileNamed:)", "init(contentsOf:)", "askToBuyEnabled", "disableDialogs",
    "interruptedPurchasesEnabled", "failTransactionsEnabled", "failureError", "billingGracePeriodIsEnabled",
    "shouldEnterBillingRetryOnRenewal", "storefront", "locale", "timeRate", "allTransactions()", "clearTransactions()",
    "deleteTransaction(identifier:)", "refundTransaction(identifier:)", "resolveIssueForTransaction(identifier:)",
    "approveAskToBuyTransaction(identifier:)", "declineAskToBuyTransaction(identifier:)",
    "buyProduct(identifier:options:)", "buyProduct(productIdentifier:)", "resetToDefaultState()",
    "expireSubscription(productIdentifier:)", "forceRenewalOfSubscription(productIdentifier:)",
    "disableAutoRenewForTransaction(identifier:)", "enableAutoRenewForTransaction(identifier:)",
    "requestPriceIncreaseConsentForTransaction(identifier:)", "consentToPriceIncreaseForTransaction(identifier:)",
    "declinePriceIncreaseForTransaction(identifier:)", "setSimulatedError(_:forAPI:)", "simulatedError(forAPI:)",
  ]

  func testEveryPublicControlHasItsRow() throws {
    let found = try controls()
    XCTAssertGreaterThan(found.count, 150)
    let documented = Set(try rows().flatMap(\.controls))
    XCTAssertEqual(found.subtracting(documented).sorted(), [], "without a row")
    XCTAssertEqual(documented.subtracting(found).sorted(), [], "rows without a control")
  }

  func testEveryRowNamesATestThatUsesItsControlsOnAClient() throws {
    let suites = try TestSuites(in: Self.top.appending(path: "Tests/SimulatedStoresTests/Controls"))
    for row in try rows() {
      XCTAssertFalse(row.clientTests.isEmpty, "no test shows \(row.controls)")
      var code = ""
      for test in row.clientTests {
        guard let body = suites.code(of: test) else {
          XCTFail("there is no test \(test) with a client")
          continue
        }
        XCTAssertTrue(body.contains("client") || body.contains("Sees("), "\(test) looks at no client")
        code += body
      }
      for control in row.controls where !uses(control, in: code) { XCTFail("\(row.clientTests) use no \(control)") }
    }
  }

  func testEveryOtherTestOfARowIsThere() throws {
    let suites = try TestSuites(in: Self.top.appending(path: "Tests/SimulatedStoresTests/Stores"))
    let named = try rows().flatMap(\.storeTests)
    XCTAssertGreaterThan(named.count, 45)
    for test in named where suites.code(of: test) == nil { XCTFail("there is no test \(test)") }
  }

  func testEveryNameOfTheTestSessionHasItsCounterpart() throws {
    let found = try controls()
    let table = try cells(under: "### Names of SKTestSession")
    XCTAssertEqual(Set(table.flatMap { quoted($0[0]) }), Self.testSession)
    for row in table {
      XCTAssertFalse(quoted(row[1]).isEmpty, "\(row)")
      for name in quoted(row[1]) where !found.contains(name) { XCTFail("there is no control \(name)") }
    }
  }

  func testWhatGoesWrongIsDoneWithControlsThatThereAre() throws {
    let found = try controls()
    let table = try cells(under: "### By what goes wrong")
    XCTAssertGreaterThan(table.count, 12)
    for row in table {
      let named = quoted(row[1]).filter { $0.contains(".") }
      XCTAssertFalse(named.isEmpty, "\(row)")
      for name in named where !found.contains(name) { XCTFail("there is no control \(name)") }
    }
  }

  // MARK: The page

  private struct Row {
    var controls: [String]
    var clientTests: [String]
    var storeTests: [String]
  }

  private static let tables = [
    "### The App Store", "### Accounts, devices and time", "### Faults and errors", "### Google Play's controls",
  ]

  private func rows() throws -> [Row] {
    try Self.tables.flatMap { heading in
      try cells(under: heading).map { cells in
        XCTAssertEqual(cells.count, 3, "\(cells)")
        return Row(controls: quoted(cells[0]), clientTests: quoted(cells[1]), storeTests: quoted(cells[2]))
      }
    }
  }

  /// The rows of the table under a heading.
  private func cells(under heading: String) throws -> [[String]] {
    let page = try text(Self.top.appending(path: "Sources/SimulatedStores/SimulatedStores.docc/SimulatedStore.md"))
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != heading }.dropFirst()
    let table = lines.prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("|") }.dropFirst(2)
    XCTAssertFalse(table.isEmpty, "no table under \(heading)")
    return table.map { line in
      line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func quoted(_ cell: String) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }

  // MARK: The sources

  private func controls() throws -> Set<String> {
    let client = Self.top.appending(path: "Sources/StoreClient")
    // The members that every shop has are the client's side of it.
    let common = Set(try PublicMembers(of: [client.appending(path: "Storefront.swift")]).members["Storefront"] ?? [])
    let shop = Self.top.appending(path: "Sources/SimulatedStores")
    let members = try PublicMembers(of: swiftFiles(in: shop)).members
    var found = Set(Self.enumerations.map { "\($0).allCases" })
    let shared = try XCTUnwrap(members["StoreControls"], "the stores share no controls")
    for type in Self.types {
      let isStore = type == "SimulatedStore" || type == "SimulatedPlayStore"
      let own = try XCTUnwrap(members[type], "\(type) has no public members") + (isStore ? shared : [])
      let isDevice = type == "StoreDevice" || type == "PlayDevice"
      for member in own where !(isDevice && common.contains(member)) { found.insert("\(type).\(member)") }
    }
    return found.subtracting(Self.values)
  }

  /// Whether code calls the control, and gives all of its labels somewhere.
  private func uses(_ control: String, in code: String) -> Bool {
    let parts = control.split(separator: ".")
    let (type, member) = (parts.dropLast().joined(separator: "."), parts.last.map(String.init) ?? "")
    let name = member.prefix { $0 != "(" }
    let labels = member.dropFirst(name.count).split { "(:)".contains($0) }.filter { $0 != "_" }
    let isNamed =
      switch name {
      case "init": code.contains("\(type)(")
      case "allCases": code.contains(control)
      // Fields that an initialiser sets.
      case _ where type == "StoreFault": code.contains("\(name): ")
      default:
        code.ranges(of: ".\(name)").contains { range in
          let next = code[range.upperBound...].first ?? " "
          return !next.isLetter && !next.isNumber
        }
      }
    return isNamed && labels.allSatisfy { code.contains("\($0): ") }
  }
}

private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

private func swiftFiles(in folder: URL) throws -> [URL] {
  let files = try XCTUnwrap(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
  return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
}

/// The functions of test suites; as the formatter lays them out.
private struct TestSuites {
  private var functions: [String: [String: String]] = [:]

  init(in folder: URL) throws {
    for file in try swiftFiles(in: folder) {
      var own: [String: String] = [:]
      var open: (name: String, lines: [Substring])?
      for line in try text(file).split(separator: "\n") {
        if line.contains("func "), let found = line.firstMatch(of: /^  (?:private )?(?:static )?func (\w+)\(/) {
          open = (String(found.1), [])
        }
        open?.lines.append(line)
        if line == "  }", let done = open {
          own[done.name] = done.lines.joined(separator: "\n")
          open = nil
        }
      }
      functions[file.deletingPathExtension().lastPathComponent] = own
    }
  }

  /// The code of `Suite.test`, with that of the suite's helpers that it calls.
  func code(of test: String) -> String? {
    let name = test.split(separator: ".").map(String.init)
    guard name.count == 2, name[1].hasPrefix("test"), let suite = functions[name[0]], let body = suite[name[1]] else {
      return nil
    }
    let helpers = suite.filter { !$0.key.hasPrefix("test") && body.contains("\($0.key)(") }.values
    return body + "\n" + helpers.sorted().joined(separator: "\n")
  }
}

/// The public members of sources, by the names of types; as the formatter lays them out.
private struct PublicMembers {
  private(set) var members: [String: [String]] = [:]

  init(of files: [URL]) throws {
    for file in files { read(try text(file).split(separator: "\n", omittingEmptySubsequences: false)) }
  }

  private mutating func read(_ lines: [Substring]) {
    var type = ""
    var nested: String?
    var open = ["public "]
    for (index, line) in lines.enumerated() {
      if line.hasSuffix("{"), !line.hasPrefix(" "),
        let found = line.firstMatch(of: /^(?:public )?(?:final )?(class|struct|enum|extension|protocol) ([\w.]+)/)
      {
        (type, nested) = (String(found.2), nil)
        // Cases and requirements are as public as their enumeration or protocol.
        open = found.1 == "enum" ? ["public ", "case "] : found.1 == "protocol" ? ["func ", "var "] : ["public "]
      } else if line.hasPrefix("  public "), let found = line.firstMatch(of: /^  public (?:enum|struct) (\w+).*\{$/) {
        (nested, open) = (String(found.1), ["public ", "case "])
      } else if line == "  }", nested != nil {
        (nested, open) = (nil, ["public "])
      }
      let indent = nested == nil ? "  " : "    "
      let code = line.dropFirst(indent.count)
      guard line.hasPrefix(indent), open.contains(where: { code.hasPrefix($0) }), let name = name(code, lines[index...])
      else { continue }
      members[nested.map { "\(type).\($0)" } ?? type, default: []].append(name)
    }
  }

  /// The name of the member that begins here, with its labels.
  private func name(_ code: Substring, _ lines: ArraySlice<Substring>) -> String? {
    let pattern = /^(?:public )?(?:convenience |static )*(case |func |var |init)(\w*)/
    guard let found = code.firstMatch(of: pattern) else { return nil }
    guard found.1 != "var ", found.1 != "case " else { return String(found.2) }
    let head = lines.prefix(20).joined(separator: "\n")
    return (found.1 == "init" ? "init" : String(found.2)) + "(" + labels(head) + ")"
  }

  private func labels(_ text: String) -> String {
    var labels = ""
    var depth = 0
    var isLabel = true
    for character in text.drop(while: { $0 != "(" }) {
      switch character {
      case "(", "[", "<", "{": depth += 1
      case ")", "]", ">", "}": depth -= 1
      case ",": if depth == 1 { isLabel = true }
      case " ", "\n", ":":
        if isLabel, depth == 1, labels.last != ":", !labels.isEmpty {
          labels += ":"
          isLabel = false
        }
      default: if isLabel, depth == 1 { labels.append(character) }
      }
      if depth == 0 { return labels }
    }
    return labels
  }
}
