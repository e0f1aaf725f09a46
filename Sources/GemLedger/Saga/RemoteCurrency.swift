/// A currency of another server: the calls that an exchange into it makes there.
///
/// ```swift
/// struct CoinServer: RemoteCurrency {
///   func credit(_ amount: CurrencyAmount, to customer: CustomerID, key: IdempotencyKey) async throws {
///     let answer = try await http.post("/credits", ["user": customer.text, "amount": amount.amount, "key": key.text])
///     if answer.status == 404 { throw RemoteRefusal("There is no such player.") }
///     guard answer.status == 200 else { throw CoinServerError(answer) }
///   }
/// }
/// ```
public protocol RemoteCurrency: Sendable {
  /// Credits the amount to the customer, idempotently under the key.
  ///
  /// - Throws: ``RemoteRefusal`` if it was not credited and never will be under this key. Any other error leaves the
  ///   outcome unknown: the call is made again later under the same key. It has to end within the leeway of the saga,
  ///   if need be by a time limit.
  func credit(_ amount: CurrencyAmount, to customer: CustomerID, key: IdempotencyKey) async throws

  /// Returns whether an amount was credited under the key; nil if the server cannot say.
  ///
  /// It is called only if the currency here is no longer held, so that crediting now could give it for nothing.
  func wasCredited(key: IdempotencyKey) async throws -> Bool?
}

extension RemoteCurrency {
  /// Returns nil: the server cannot say.
  public func wasCredited(key: IdempotencyKey) async throws -> Bool? { nil }
}

/// The other server will not credit, now or later: the held amount is released.
public struct RemoteRefusal: Error, Hashable, Sendable {
  /// The reason, for people; it is kept as the reason of the release.
  public let reason: String

  /// A refusal for good.
  public init(_ reason: String) { self.reason = reason }
}
