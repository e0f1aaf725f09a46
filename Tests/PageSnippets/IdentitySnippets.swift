import StoreClientFoundation

/// Snippets of RevenueCat's page on identifying users.
@MainActor
enum IdentitySnippets {
  static func configure() {
    // snippet: identity-configure
    Purchases.configure(withAPIKey: "my_api_key", appUserID: "my_app_user_id")
    // snippet: end
  }

  static func identify() {
    // snippet: identity-identify
    Purchases.shared.identify("my_app_user_id") { (purchaserInfo, error) in

      // purchaserInfo updated for my_app_user_id
    }
    // snippet: end
  }

  static func createAlias() {
    // snippet: identity-alias
    Purchases.shared.createAlias("my_app_user_id") { (purchaserInfo, error) in

      // my_app_user_id added as an alias for current user
    }
    // snippet: end
  }

  static func restore() {
    // snippet: identity-restore
    Purchases.shared.restoreTransactions { (purchaserInfo, error) in
      //... check purchaserInfo to see if entitlement is now active
    }
    // snippet: end
  }
}
