import Observation
import SimulatedStoreKit

/// The app's server: it credits the signed transaction, and returns the balance.
protocol CreditingServer: Sendable {
  func post(jws: String) async throws -> Int64
}

/// The view model of a gem shop, as an app has it over StoreKit 2: nothing in this file knows the simulated store.
///
/// It delivers nothing by itself: the server credits, and only then is a transaction finished.
@MainActor @Observable
final class GemShop {
  private(set) var products: [Product] = []
  private(set) var ownedProductIDs: Set<String> = []
  private(set) var gems: Int64 = 0
  private(set) var isWaitingForApproval = false
  private(set) var message: String?

  @ObservationIgnored private let productIDs: [String]
  @ObservationIgnored private let server: any CreditingServer
  @ObservationIgnored private let accountToken: UUID
  @ObservationIgnored private var updatesTask: Task<Void, Never>?

  init(productIDs: [String], server: any CreditingServer, accountToken: UUID) {
    self.productIDs = productIDs
    self.server = server
    self.accountToken = accountToken
  }

  /// At the start of the app.
  func start() async {
    updatesTask = Task { [weak self] in
      for await result in Transaction.updates { await self?.handle(result) }
    }
    await loadProducts()
    await refreshEntitlements()
  }

  func stop() { updatesTask?.cancel() }

  func loadProducts() async {
    do {
      products = try await Product.products(for: productIDs).sorted { $0.price < $1.price }
      message = nil
    } catch {
      message = error.localizedDescription
    }
  }

  func buy(_ product: Product, quantity: Int = 1) async {
    do {
      let result = try await product.purchase(options: [.appAccountToken(accountToken), .quantity(quantity)])
      switch result {
      case .success(let verification): await handle(verification)
      case .pending: isWaitingForApproval = true
      case .userCancelled: break
      @unknown default: break
      }
    } catch StoreKitError.networkError {
      message = "You are offline."
    } catch {
      message = error.localizedDescription
    }
  }

  func restore() async {
    do { try await AppStore.sync() } catch { message = error.localizedDescription }
    for await result in Transaction.all { await handle(result) }
    await refreshEntitlements()
  }

  private func handle(_ result: VerificationResult<Transaction>) async {
    guard case .verified(let transaction) = result else {
      message = "The purchase could not be verified."
      return
    }
    do {
      // The server decides by itself, from the signed transaction: credited, credited before, or refunded.
      gems = try await server.post(jws: result.jwsRepresentation)
      await transaction.finish()
      isWaitingForApproval = false
      await refreshEntitlements()
    } catch {
      // Unfinished, it comes again with the next start of the app.
      message = "Your purchase will arrive shortly."
    }
  }

  private func refreshEntitlements() async {
    var owned: Set<String> = []
    for await result in Transaction.currentEntitlements {
      guard let transaction = try? result.payloadValue else { continue }
      owned.insert(transaction.productID)
    }
    ownedProductIDs = owned
  }
}
