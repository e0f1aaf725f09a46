import StoreClientFoundation

// The page "Coming from RevenueCat, in ten minutes" shows the code between these marks; a test compares them.

// ten-minutes: launch
func launch() {
  Purchases.logLevel = .warn
  Purchases.configure(withAPIKey: "appl_YOUR_PUBLIC_SDK_KEY")
}
// ten-minutes: end

// ten-minutes: view model
@MainActor
final class ShopModel {
  private(set) var packages: [Package] = []
  private(set) var gems = 0
  private(set) var isPremium = false
  private(set) var message: String?

  func load() async {
    do {
      let offerings = try await Purchases.shared.offerings()
      packages = (offerings["gems"] ?? offerings.current)?.availablePackages ?? []
      gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
      isPremium = try await Purchases.shared.customerInfo().entitlements.all["premium"]?.isActive == true
    } catch {
      message = error.localizedDescription
    }
  }

  func buy(_ package: Package) async {
    do {
      let result = try await Purchases.shared.purchase(package: package)
      guard !result.userCancelled else { return }
      isPremium = result.customerInfo.entitlements["premium"]?.isActive == true
      // The credit is durable when the purchase returns.
      gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
    } catch ErrorCode.networkError {
      message = "You are offline."
    } catch {
      message = error.localizedDescription
    }
  }

  /// The key is made once for a tap, and sent again with every retry of it.
  func buyExtraLife(tap: IdempotencyKey = .timeOrdered()) async {
    do {
      try await Purchases.shared.buyItem("extra_life", key: tap)
      gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
    } catch  where error.code == .insufficientBalance {
      message = "You need more gems for that."
    } catch {
      message = error.localizedDescription
    }
  }
}
// ten-minutes: end

// ten-minutes: delegate
extension ShopModel: PurchasesDelegate {
  func purchases(_ purchases: Purchases, receivedUpdated customerInfo: CustomerInfo) {
    isPremium = customerInfo.entitlements["premium"]?.isActive == true
  }
}
// ten-minutes: end

@MainActor
struct SpendScreen {
  // ten-minutes: one error
  func spend(tap: String) async -> String {
    do {
      try await Purchases.shared.spend(["GEM": 50], key: tap)
      return "Spent."
    } catch  where error.code == .insufficientBalance {
      return "You need more gems for that."
    } catch ErrorCode.networkError {
      return "You are offline."
    } catch {
      return error.message
    }
  }
  // ten-minutes: end

  // ten-minutes: several errors
  func spendAsWritten(_ request: Data) async -> String {
    do {
      let gems = try JSONDecoder().decode([String: Int64].self, from: request)
      try await Purchases.shared.spend(AmountsByCode(gems), key: "tap-2")
      return "Spent."
    } catch let error as LedgerError where error.code == .insufficientBalance {
      return "You need more gems for that."
    } catch {
      return error.localizedDescription
    }
  }
  // ten-minutes: end

  // ten-minutes: closure
  func tried(
    _ work: @MainActor () async throws(LedgerError) -> Booking
  ) async -> String {
    do { return try await "\(work())" } catch { return error.message }
  }

  func spendInAClosure() async -> String {
    await tried { () async throws(LedgerError) in
      try await Purchases.shared.spend(["GEM": 1], key: "tap-3")
    }
  }
  // ten-minutes: end
}
