import StoreClientFoundation

/// Snippets of RevenueCat's codelab that stand in no type of their own.
@MainActor
enum CodelabSnippets {
  static func signIn() async throws {
    // After your own auth resolves a user id:
    let (_, created) = try await Purchases.shared.logIn("your-stable-user-id")
    print("RevenueCat customer ready (new customer: \(created))")
    // Use this SAME id on your backend when you spend gems (see step 8).
  }

  static func firstPaint() -> Int? {
    let cached = Purchases.shared.cachedVirtualCurrencies?.all["GEM"]?.balance
    return cached
  }
}

/// Snippets of RevenueCat's page on identifying users.
@MainActor
enum IdentitySnippets {
  static func configure() {
    Purchases.configure(withAPIKey: "my_api_key", appUserID: "my_app_user_id")
  }

  static func identify() {
    Purchases.shared.identify("my_app_user_id") { (purchaserInfo, error) in

      // purchaserInfo updated for my_app_user_id
    }
  }

  static func createAlias() {
    Purchases.shared.createAlias("my_app_user_id") { (purchaserInfo, error) in

      // my_app_user_id added as an alias for current user
    }
  }

  static func restore() {
    Purchases.shared.restoreTransactions { (purchaserInfo, error) in
      //... check purchaserInfo to see if entitlement is now active
    }
  }
}
