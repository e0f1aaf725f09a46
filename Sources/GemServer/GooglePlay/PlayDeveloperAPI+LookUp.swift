#if Server
internal import GemLedger
internal import StoreReceipts
internal import SystemHTTP

/// A look-up of a purchase by its token.
struct PlayLookUp: Sendable {
  /// The calls that return purchases of one kind each; a token does not show its kind.
  enum Call: Sendable {
    /// `purchases.productsv2`, and `purchases.products` if that call does not exist.
    case products
    /// `purchases.subscriptionsv2`.
    case subscriptions
  }

  /// The maximum number of products that are tried one by one.
  static let productsMax = 20

  let packageName: String
  let token: StoreTransactionID
  /// The products that the sender named, for `purchases.products`; Google's answer is authoritative.
  var productIDs: [String] = []
  /// The first call; the other call follows if the first does not know the token.
  var first = Call.products
  /// The time of the look-up, used if the answer has no date.
  let askedAt: Timestamp

  fileprivate var calls: [Call] { first == .products ? [.products, .subscriptions] : [.subscriptions, .products] }
}

extension PlayDeveloperAPI {
  /// Looks a purchase up.
  ///
  /// The header `Date` dates the answer, so that servers with different clocks agree; without it the request's time.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if no call knows the token; `backend_unreachable` if the look-up
  ///   may succeed later, for example after a format that this version does not support.
  func purchase(_ lookUp: PlayLookUp) async throws(LedgerError) -> PlayProductPurchase {
    var refusal: LedgerError?
    for call in lookUp.calls {
      do throws(LedgerError) {
        switch call {
        case .products: return try await productPurchase(lookUp)
        case .subscriptions: return try await subscription(lookUp)
        }
      } catch {
        guard error.code == .purchaseNotFound else { throw error }
        refusal = refusal ?? error
      }
    }
    throw refusal ?? .defect("A purchase token was looked up by no call")
  }

  private func productPurchase(_ lookUp: PlayLookUp) async throws(LedgerError) -> PlayProductPurchase {
    let token = Self.part(lookUp.token)
    let reply = try await get("productsv2/tokens/\(token)", of: lookUp.packageName)
    if reply.isSuccess { return try Self.read(reply, lookUp) }
    let refusal = PlayRefusal(reply)
    guard refusal.isOfCall || refusal.status == 400 else { throw refusal.error }
    var answers: [PlayProductPurchase] = []
    for product in lookUp.productIDs.prefix(PlayLookUp.productsMax) {
      let reply = try await get("products/\(Percent.encoded(product))/tokens/\(token)", of: lookUp.packageName)
      if reply.isSuccess {
        answers.append(try Self.read(reply, lookUp, product: product))
      } else if !PlayRefusal(reply).isOfToken {
        throw PlayRefusal(reply).error
      }
    }
    guard !answers.isEmpty else { throw refusal.error }
    return PlayProductPurchase(joining: answers)
  }

  private func subscription(_ lookUp: PlayLookUp) async throws(LedgerError) -> PlayProductPurchase {
    let reply = try await get("subscriptionsv2/tokens/\(Self.part(lookUp.token))", of: lookUp.packageName)
    guard reply.isSuccess else { throw PlayRefusal(reply).error }
    return try Self.read(reply, lookUp)
  }

  private static func read(
    _ reply: HTTPReply, _ lookUp: PlayLookUp, product: String? = nil
  ) throws(LedgerError) -> PlayProductPurchase {
    let request = PlayProductPurchase.Request(
      packageName: lookUp.packageName, token: lookUp.token, productID: product,
      fetchedAt: reply.date ?? lookUp.askedAt)
    do throws(LedgerError) {
      return try PlayProductPurchase(json: reply.isBodyCut ? [] : reply.body, for: request)
    } catch {
      throw .google("Play states a purchase in a form that is not known here: \(error.message)")
    }
  }
}
#endif
