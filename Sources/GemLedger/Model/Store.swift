/// The shop that a purchase was made at.
public struct Store: Hashable, Sendable, CustomStringConvertible {
  /// The store's name in interfaces, such as `apple`.
  public let description: String
  package let number: Int64

  /// The App Store.
  public static let apple = Self(description: "apple", number: 1)
  /// Google Play.
  public static let google = Self(description: "google", number: 2)
  /// The Amazon Appstore.
  public static let amazon = Self(description: "amazon", number: 3)
  /// A simulated store.
  public static let test = Self(description: "test", number: 4)

  /// All stores.
  public static let all = [apple, google, amazon, test]

  /// The store with this name.
  public init?(name: String) {
    guard let store = Self.all.first(where: { $0.description == name }) else { return nil }
    self = store
  }

  private init(description: String, number: Int64) {
    self.description = description
    self.number = number
  }

  package static func numbered(_ number: Int64) -> Self? { all.first { $0.number == number } }
}
