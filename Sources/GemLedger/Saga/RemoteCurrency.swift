/// A currency of another server, with the calls that an exchange into it makes.
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
  /// - Throws: ``RemoteRefusal`` if the amount was not credited and never will be under this key. Any other error
  ///   leaves the outcome unknown: the call is repeated later under the same key. It must end within the saga's leeway,
  ///   for example by a timeout.
  func credit(_ amount: CurrencyAmount, to customer: CustomerID, key: IdempotencyKey) async throws

  /// Returns whether an amount was credited under the key; nil if the server cannot determine it.
  ///
  /// It is called only if the currency here is no longer held, so that a credit now might not be paid for.
  func wasCredited(key: IdempotencyKey) async throws -> Bool?
}

extension RemoteCurrency {
  /// Returns nil, since the server cannot determine it.
  public func wasCredited(key: IdempotencyKey) async throws -> Bool? { nil }
}

/// The other server will never credit the amount: the held amount is released.
public struct RemoteRefusal: Error, Hashable, Sendable {
  /// The reason, for people; the release stores it.
  public let reason: String

  /// Makes a final refusal.
  public init(_ reason: String) { self.reason = reason }
}
