/// A currency that lives on another server: what an exchange into it needs of that server.
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
  /// Gives the customer so much, once per key however often it is called.
  ///
  /// - Throws: ``RemoteRefusal`` where it was not credited and never will be under this key. Any other error means that
  ///   nobody knows: the call is made again later under the same key. It has to end within the leeway that the exchange
  ///   was set up with, be it by a time limit.
  func credit(_ amount: CurrencyAmount, to customer: CustomerID, key: IdempotencyKey) async throws

  /// Whether something was credited under the key; nil where the server cannot say.
  ///
  /// It is asked only where the currency here is no longer held, so that crediting now could give it for nothing.
  func wasCredited(key: IdempotencyKey) async throws -> Bool?
}

extension RemoteCurrency {
  /// Cannot say.
  public func wasCredited(key: IdempotencyKey) async throws -> Bool? { nil }
}

/// The other server will not credit, now or later: what was held for it is released.
public struct RemoteRefusal: Error, Hashable, Sendable {
  /// Why, for people; it is kept as the reason of the release.
  public let reason: String

  /// A refusal for good.
  public init(_ reason: String) { self.reason = reason }
}
