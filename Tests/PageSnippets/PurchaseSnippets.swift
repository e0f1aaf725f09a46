import StoreClientFoundation

typealias AppActor = StoreClient
typealias AppActorPackage = Package
typealias AppActorBillingError = LedgerError

/// Snippets of AppActor's page on purchases.
@MainActor
struct PurchaseSnippets {
  let screen: PurchaseScreen

  func showPremiumContent() { screen.lines.append("premium") }
  func showSyncingMessage() { screen.lines.append("syncing") }
  func showPendingMessage() { screen.lines.append("pending") }
  func showValidationError(code: String, message: String, requestId: String?) {
    screen.lines.append("refused \(code)")
  }

  func buyMonthly() async throws {
    // snippet: purchases-purchase
    let offerings = try await AppActor.shared.offerings()
    guard let offering = offerings.current else { return }
    guard let monthly = offering.monthly else { return }

    do {
      let result = try await AppActor.shared.purchase(package: monthly)

      switch result {
      case .success(let customerInfo):
        if customerInfo?.hasActiveEntitlement("premium") == true {
          showPremiumContent()
        }
      case .pendingServerValidation:
        // Receipt is queued and will retry automatically
        showSyncingMessage()
      case .failedServerValidation(let errorCode, let message, let requestId):
        showValidationError(code: errorCode, message: message, requestId: requestId)

      case .cancelled:
        // User cancelled the purchase — no action needed
        break

      case .pending:
        // Transaction requires approval (Ask to Buy) or
        // Strong Customer Authentication (SCA/3DS)
        // The transaction will arrive later via Transaction.updates
        showPendingMessage()
      }
    } catch {
      // Handle purchase error
      print("Purchase failed: \(error.localizedDescription)")
    }
    // snippet: end
  }

  func inspectThePipeline() async {
    // snippet: purchases-pipeline
    // Trigger a manual drain of pending receipt events
    await AppActor.shared.syncPurchases()

    // Queue counters
    let pending = await AppActor.shared.pendingReceiptCount
    let deadLettered = await AppActor.shared.deadLetteredReceiptCount
    print("pending=\(pending), deadLettered=\(deadLettered)")

    // Detailed queue snapshot
    let snapshot = await AppActor.shared.receiptQueueSnapshot()
    for item in snapshot {
      print("\(item.id) status=\(item.status) attempts=\(item.attemptCount)")
    }

    // Optional pipeline callback for diagnostics
    AppActor.shared.onReceiptPipelineEvent = { event in
      print("pipeline event: \(event)")
    }
    // snippet: end
  }

  func spendCoins() async -> (coins: Int, success: Bool) {
    // snippet: purchases-consumables
    // Check balance
    let coins = await AppActor.shared.consumableBalance(for: "com.myapp.coins")

    // Spend consumables
    let success = await AppActor.shared.consumeProduct("com.myapp.coins", amount: 5)
    if success {
      // 5 coins deducted
    } else {
      // Insufficient balance
    }
    // snippet: end
    return (coins, success)
  }

  func buy(_ package: Package) async {
    // snippet: purchases-errors
    do {
      let result = try await AppActor.shared.purchase(package: package)
      // Handle result...
    } catch let error as AppActorBillingError where error.kind == .purchaseAlreadyInProgress {
      // Another purchase is already in progress
    } catch let error as AppActorBillingError where error.kind == .validation {
      // Invalid package/product input
      print(error.localizedDescription)
    } catch let error as AppActorBillingError {
      // Network/server/storekit related billing error
      print("Billing error: \(error.localizedDescription)")
    } catch {
      // Other error
      print("Unexpected error: \(error)")
    }
    // snippet: end
  }
}

// snippet: purchases-button
struct BuyButton: View {
  let package: AppActorPackage
  @State private var isPurchasing = false

  var body: some View {
    Button("Subscribe") {
      Task {
        guard !isPurchasing else { return }
        isPurchasing = true
        defer { isPurchasing = false }
        do {
          _ = try await AppActor.shared.purchase(package: package)
        } catch let error as AppActorBillingError where error.kind == .purchaseAlreadyInProgress {
          // Another purchase is already active
        } catch {
          // Handle other purchase errors
        }
      }
    }
    .disabled(isPurchasing)
  }
}
// snippet: end

extension BuyButton {
  /// The memberwise initialiser is private, as the state is.
  static func button(_ package: AppActorPackage) -> BuyButton { BuyButton(package: package) }
}

/// The lines that a screen shows.
@MainActor
final class PurchaseScreen {
  var lines: [String] = []
}
