import StoreClientFoundation

typealias SDKManager = StoreClient

/// The controller of a shop with the snippets of a two-step SDK's page.
@MainActor
class TwoStepSnippets {
  private(set) var refreshCount = 0

  func refreshInventoryFromGameServer() { refreshCount += 1 }

  func showCatalog() {
    // snippet: two-step-catalog
    SDKManager.default()?.getProductCatalog { status, packages, error in
      guard status, let list = packages else {
        print("Catalog error:", error?.localizedDescription ?? "")
        return
      }

      for pkg in list {
        // VLPackage / StorePackage shape — see API Reference for fields
        let id = pkg["storeProductId"] as? String ?? ""
        let name = pkg["productName"] as? String ?? ""
        let price = pkg["price"] as? Double ?? 0
        let currency = pkg["currency"] as? String ?? "VND"
        let items = pkg["items"] as? [[String: Any]] ?? []

        print("\(id)\(name)\(price) \(currency)\(items.count) items")
      }
    }
    // snippet: end
  }

  func buy() {
    // snippet: two-step-purchase
    guard let sdk = SDKManager.default() else { return }

    sdk.purchasePackage(
      withProductId: "com.yourgame.pack_001",
      productName: "100 Gems",
      amount: 22000,  // VND, must match Package.price in CMS
      parentController: self,  // UIViewController hosting the buy button
      completion: { status, error in
        if status {
          // Purchase succeeded + receipt verified server-side
          // Items already delivered to game-server via VLPlay's backend webhook
          self.refreshInventoryFromGameServer()
        } else {
          print("Purchase failed:", error?.localizedDescription ?? "unknown")
        }
      }
    )
    // snippet: end
  }

  func showHistory() {
    // snippet: two-step-history
    SDKManager.default()?.listSuccessfulTransactions(atPage: 1, size: 20) { status, items, error in
      guard status, let list = items else { return }
      for item in list {
        let code = item["code"] as? String ?? ""
        let productId = item["productId"] as? String ?? ""
        let amount = item["amount"] as? Double ?? 0
        let createdAt = item["createdAt"] as? String ?? ""
        let paymentStatus = item["paymentStatus"] as? String ?? "?"
        print("\(code)\(productId)\(amount) VND — \(paymentStatus)\(createdAt)")
      }
    }
    // snippet: end
  }
}
