import XCTest

/// One run of a contract's functions: each is reported by name, and a failed one does not keep the others from running.
struct ContractRun {
  private let contract: String

  init(_ contract: Any.Type) { self.contract = "\(contract)" }

  func step(_ name: String, _ body: () throws -> Void) {
    print("Contract \(contract).\(name) started.")
    do { try body() } catch { XCTFail("\(contract).\(name): \(error)") }
  }

  func step(_ name: String, _ body: () async throws -> Void) async {
    print("Contract \(contract).\(name) started.")
    do { try await body() } catch { XCTFail("\(contract).\(name): \(error)") }
  }
}
