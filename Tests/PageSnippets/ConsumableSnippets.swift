import Foundation
import SimulatedStoreKit

/// Snippets of a page on consumables with StoreKit 2.
@MainActor
struct ConsumableSnippets {
  /// The call of the app's server: whether it credited.
  let server: @MainActor (_ transactionId: UInt64) async -> Bool
  let receiptData = Data()

  func creditOnServer(transactionId: UInt64, receiptData: Data) async -> Bool {
    await server(transactionId)
  }

  func buy(_ product: Product) async throws {
    // snippet: consumables-purchase
    let result = try await product.purchase()
    if case .success(let verification) = result,
      case .verified(let transaction) = verification
    {
      // Send to server for crediting
      let credited = await creditOnServer(
        transactionId: transaction.id,
        receiptData: receiptData)
      if credited {
        await transaction.finish()
      }
      // If server unavailable — don't finish,
      // transaction comes again on next launch
    }
    // snippet: end
  }

  static func failingSession() throws -> SKTestSession {
    // snippet: consumables-session
    let session = try SKTestSession(configurationFileNamed: "Products")
    session.simulateAskToBuyInSandbox = false
    // Force error for testing retry logic
    try session.failTransactionsEnabled = true
    // snippet: end
    return session
  }
}
