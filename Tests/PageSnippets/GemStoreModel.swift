import StoreClientFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// snippet: codelab-model
// GemStoreModel.swift
@MainActor
final class GemStoreModel: ObservableObject {
  @Published var packages: [Package] = []
  @Published var gemBalance: Int = 0
  @Published var errorMessage: String?
  /// Load the purchasable gem packs.
  func loadStore() async {
    do {
      let offerings = try await Purchases.shared.offerings()
      // Named "gems" offering, or fall back to the current one.
      let offering = offerings.all["gems"] ?? offerings.current
      packages = offering?.availablePackages ?? []
    } catch {
      errorMessage = "Could not load the store: \(error.localizedDescription)"
    }
  }
  // buy(_:) and refreshBalance() are added in the next steps.
}
// snippet: end

// snippet: codelab-buy
// GemStoreModel.swift (continued)
extension GemStoreModel {
  func buy(_ package: Package) async {
    do {
      let result = try await Purchases.shared.purchase(package: package)
      guard !result.userCancelled else { return }  // user closed the sheet
      // Gems are credited on RevenueCat's servers a beat after purchase()
      // returns, so poll briefly until the new balance lands.
      let before = gemBalance
      for _ in 0..<5 {
        await refreshBalance()
        if gemBalance > before { break }
        try? await Task.sleep(for: .milliseconds(500))
      }
    } catch {
      errorMessage = "Purchase failed: \(error.localizedDescription)"
    }
  }
}
// snippet: end

// snippet: codelab-balance
// GemStoreModel.swift (continued)
extension GemStoreModel {
  /// Invalidate first so we never show a stale value after a purchase or spend.
  func refreshBalance() async {
    do {
      Purchases.shared.invalidateVirtualCurrenciesCache()
      let currencies = try await Purchases.shared.virtualCurrencies()
      gemBalance = currencies.all["GEM"]?.balance ?? 0
    } catch {
      errorMessage = "Could not load your balance: \(error.localizedDescription)"
    }
  }
}
// snippet: end

// snippet: codelab-spend
// GemStoreModel.swift (continued)
struct SpendRequest: Encodable {
  let item: String
  let idempotencyKey: String
}
enum SpendError: Error { case insufficientGems, failed }

extension GemStoreModel {
  // Create `idempotencyKey` once when the user taps buy, and reuse the SAME key on
  // every retry of this spend. A fresh UUID per attempt gives no double-spend safety.
  func spend(on item: String, idempotencyKey: String) async {
    do {
      // swift-format-ignore: NeverForceUnwrap
      var req = URLRequest(url: URL(string: "https://your-api.example.com/spend")!)
      req.httpMethod = "POST"
      req.setValue("application/json", forHTTPHeaderField: "Content-Type")
      req.setValue("Bearer \(yourSessionToken)", forHTTPHeaderField: "Authorization")
      // The server looks up the price from the item; the client never sends a cost.
      req.httpBody = try JSONEncoder().encode(
        SpendRequest(item: item, idempotencyKey: idempotencyKey)
      )
      let (_, response) = try await URLSession.shared.data(for: req)
      let status = (response as? HTTPURLResponse)?.statusCode ?? 500
      if status == 402 { throw SpendError.insufficientGems }
      guard (200..<300).contains(status) else { throw SpendError.failed }
      await refreshBalance()
    } catch SpendError.insufficientGems {
      errorMessage = "You need more gems for that."
    } catch {
      errorMessage = "Could not complete that purchase."
    }
  }
}
// snippet: end
