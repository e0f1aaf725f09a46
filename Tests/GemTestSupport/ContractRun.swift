internal import Foundation
import XCTest

/// One run of a contract's steps: each is reported by name, and a failed one does not keep the others from running.
package struct ContractRun {
  /// One in so many steps is played in the quick tier, for storages that other suites of the same code cover too.
  @TaskLocal package static var quickDivisor = 1

  private let contract: String

  init(_ contract: Any.Type) { self.contract = "\(contract)" }

  func step(_ name: String, _ body: () throws -> Void) {
    guard starts(name) else { return }
    do { try body() } catch { XCTFail("\(contract).\(name): \(error)") }
  }

  func step(_ name: String, _ body: () async throws -> Void) async {
    guard starts(name) else { return }
    do { try await body() } catch { XCTFail("\(contract).\(name): \(error)") }
  }

  private func starts(_ name: String) -> Bool {
    guard Tier.current.plays("\(contract).\(name)", quickDivisor: Self.quickDivisor) else { return false }
    print("Contract \(contract).\(name) started.")
    fflush(nil)
    return true
  }
}
