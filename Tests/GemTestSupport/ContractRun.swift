internal import Foundation
internal import Synchronization
import XCTest

/// One run of a contract's steps: each is reported by name, and a failed one does not keep the others from running.
package final class ContractRun: Sendable {
  /// One in so many steps is played in the quick tier, the first one always.
  ///
  /// It is 1 unless other suites cover the same code.
  @TaskLocal package static var quickDivisor = 1

  private let contract: String
  private let stepCount = Mutex(0)

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
    let number = stepCount.withLock { count in
      defer { count += 1 }
      return count
    }
    guard Tier.current.plays(number, quickDivisor: Self.quickDivisor) else { return false }
    print("Contract \(contract).\(name) started.")
    fflush(nil)
    return true
  }
}
