internal import StoreBackend
internal import Synchronization

extension Product {
  /// An option of a purchase.
  ///
  /// StoreKit's promotional, introductory and win-back offers, and custom values, are left out: the simulated store has
  /// none.
  public struct PurchaseOption: Hashable, Sendable {
    enum Wish: Hashable, Sendable {
      case quantity(Int)
      case appAccountToken(UUID)
      case simulatesAskToBuyInSandbox(Bool)
      case onStorefrontChange(StorefrontQuestion)
    }

    let wish: Wish

    /// The number of units: 1 to 10 of a consumable or non-renewing subscription, 1 of everything else.
    public static func quantity(_ quantity: Int) -> PurchaseOption { PurchaseOption(wish: .quantity(quantity)) }

    /// The buyer; the token returns unchanged in every copy of the transaction.
    public static func appAccountToken(_ token: UUID) -> PurchaseOption {
      PurchaseOption(wish: .appAccountToken(token))
    }

    /// Whether another person must approve this purchase first.
    public static func simulatesAskToBuyInSandbox(_ simulates: Bool) -> PurchaseOption {
      PurchaseOption(wish: .simulatesAskToBuyInSandbox(simulates))
    }

    /// Asks the app if the storefront has changed since the product was listed; without it the purchase continues.
    public static func onStorefrontChange(
      shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
    ) -> PurchaseOption {
      PurchaseOption(wish: .onStorefrontChange(StorefrontQuestion(ask: shouldContinuePurchase)))
    }
  }
}

/// A closure with an identity, so that the options with it form a set.
struct StorefrontQuestion: Hashable, Sendable {
  private static let count = Mutex(0)

  let ask: @Sendable (Storefront) -> Bool
  private let number = Self.count.withLock { count in
    count += 1
    return count
  }

  init(ask: @escaping @Sendable (Storefront) -> Bool) { self.ask = ask }

  static func == (left: Self, right: Self) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The combined options of a purchase.
struct PurchaseRequest {
  var quantity: Int64 = 1
  var accountToken: AccountToken?
  var simulatesAskToBuy = false
  var onStorefrontChange: (@Sendable (Storefront) -> Bool)?

  init(_ options: Set<Product.PurchaseOption>) {
    for option in options {
      switch option.wish {
      case .quantity(let quantity): self.quantity = Int64(quantity)
      case .appAccountToken(let token): accountToken = AccountToken(token.uuidString.lowercased())
      case .simulatesAskToBuyInSandbox(let simulates): simulatesAskToBuy = simulates
      case .onStorefrontChange(let question): onStorefrontChange = question.ask
      }
    }
  }
}
