import StoreClientFoundation

// An app's code as it is written every day over RevenueCat's SDK, and compiled in each language mode.

@MainActor
final class EverydayModel: ObservableObject {
  @Published var packages: [Package] = []
  @Published var gems = 0
  @Published var isPremium = false
  @Published var message: String?
  @Published var subscriptionPage: URL?
  @Published var customer = ""

  var offering: Offering?

  func launch(_ key: String, customer: String?) {
    Purchases.configure(with: Configuration.Builder(withAPIKey: key).with(appUserID: customer).build())
    Purchases.shared.delegate = self
  }

  func load() async {
    do {
      let offerings = try await Purchases.shared.offerings()
      offering = offerings.current
      packages = offering?.availablePackages ?? []
      show(try await Purchases.shared.customerInfo())
      gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
    } catch {
      message = error.localizedDescription
    }
  }

  func buy(_ package: Package) async {
    do {
      let (transaction, customerInfo, userCancelled) = try await Purchases.shared.purchase(package: package)
      if userCancelled { return }
      message = transaction?.productIdentifier
      show(customerInfo)
    } catch ErrorCode.paymentPendingError {
      message = "Waiting for an approval."
    } catch let error as LedgerError {
      switch error.errorCode {
      case .networkError, .offlineConnectionError: message = "You are offline."
      case .storeProblemError: message = "The store has a problem."
      default: message = error.localizedDescription
      }
    } catch {
      message = "\(error)"
    }
  }

  func buyWithAClosure(_ package: Package) {
    Purchases.shared.purchase(package: package) { [weak self] transaction, customerInfo, error, userCancelled in
      if let customerInfo { self?.show(customerInfo) }
      if let error, !userCancelled { self?.message = error.localizedDescription }
      if let transaction { self?.message = transaction.productIdentifier }
    }
  }

  func signIn(_ id: String) {
    Purchases.shared.logIn(id) { [weak self] customerInfo, created, error in
      self?.message = created ? "Welcome." : "Welcome back."
      if let error { self?.message = error.localizedDescription }
      if let customerInfo { self?.show(customerInfo) }
    }
  }

  func restore() {
    Purchases.shared.restorePurchases { customerInfo, error in
      if let customerInfo { self.show(customerInfo) } else { self.message = error?.localizedDescription }
    }
  }

  func buyLife(tap: String) async throws {
    try await Purchases.shared.buyItem("extra_life", key: tap)
    gems = try await Purchases.shared.virtualCurrencies()["GEM"]?.balance ?? 0
  }

  func sync() {
    Purchases.shared.syncPurchases { customerInfo, error in
      if let customerInfo { self.show(customerInfo) } else { self.message = error?.localizedDescription }
    }
  }

  func lastPurchase(of productIdentifier: String) async throws -> Date? {
    let customerInfo = try await Purchases.shared.customerInfo(fetchPolicy: .fetchCurrent)
    return customerInfo.purchaseDate(forProductIdentifier: productIdentifier)
      ?? customerInfo.expirationDate(forProductIdentifier: productIdentifier) ?? customerInfo.latestExpirationDate
  }

  func isOneTimePurchase(_ package: Package) -> Bool {
    package.storeProduct.productType == .consumable && package.storeProduct.productCategory == .nonSubscription
  }

  func watch() async {
    for await customerInfo in Purchases.shared.customerInfoStream { show(customerInfo) }
  }

  func show(_ customerInfo: CustomerInfo) {
    isPremium = customerInfo.entitlements["premium"]?.isActive == true
    subscriptionPage = customerInfo.managementURL
    customer = customerInfo.originalAppUserId
  }
}

extension EverydayModel: PurchasesDelegate {
  func purchases(_ purchases: Purchases, receivedUpdated customerInfo: CustomerInfo) { show(customerInfo) }
}

/// A delegate of no actor's own.
class DelegateHandler: NSObject, ObservableObject {
  @Published var isPremium: Bool?
}

extension DelegateHandler: PurchasesDelegate {
  func purchases(_ purchases: Purchases, receivedUpdated customerInfo: CustomerInfo) {
    isPremium = customerInfo.entitlements.active["premium"] != nil
  }
}

/// A delegate that says so in its declaration, and does without isolation.
final class CountingDelegate: PurchasesDelegate, Sendable {
  nonisolated func purchases(_ purchases: Purchases, receivedUpdated customerInfo: CustomerInfo) {}
}
