import StoreClientFoundation

/// Snippets of RevenueCat's codelab that stand in no type of their own.
@MainActor
enum CodelabSnippets {
  static func signIn() async throws {
    // snippet: codelab-sign-in
    // After your own auth resolves a user id:
    let (_, created) = try await Purchases.shared.logIn("your-stable-user-id")
    print("RevenueCat customer ready (new customer: \(created))")
    // Use this SAME id on your backend when you spend gems (see step 8).
    // snippet: end
  }

  static func firstPaint() -> Int? {
    // snippet: codelab-first-paint
    // iOS exposes a synchronous cached property (nil before the first fetch):
    let cached = Purchases.shared.cachedVirtualCurrencies?.all["GEM"]?.balance
    // snippet: end
    return cached
  }
}
