import GemLedger
import StoreClient

/// `home.json`: the state as JSON, with a checksum over the rest of the file as its last member.
extension Home.State {
  /// The result of reading a file.
  enum Reading: Hashable, Sendable {
    case state(Home.State)
    /// It can be read, but it was changed after it was written.
    case changed
    /// It has members that this version does not know, written by a newer version.
    case newer([String])
    case unreadable
  }

  private static let checksumName = "checksum"
  private static let defaultLocale = "en_US"
  /// The possible names in a file without a checksum.
  private static let memberNames: Set<String> = [
    "customer_id", "store_session", "store", "storefront", "locale", "store_switches",
  ]

  /// Reads a file; in a manually edited file the checksum line may be missing.
  static func read(_ bytes: [UInt8]) -> Reading {
    // The parse error is omitted: only gemctl writes the file, so it is damaged.
    guard case .object(var members)? = try? JSONValue.parse(bytes), let state = Self(.object(members)) else {
      return .unreadable
    }
    let unknown = members.members.map(\.name).filter { !memberNames.contains($0) && $0 != checksumName }
    guard members[checksumName] != nil else {
      // Damage to the name of the checksum must not make it a file edited by hand.
      if unknown.contains(where: { Spelling.nearest(to: $0, among: [checksumName]) != nil }) { return .changed }
      return unknown.isEmpty ? .state(state) : .newer(unknown)
    }
    members.members.removeAll { $0.name == checksumName }
    // Compared as a whole: the checksum covers the written members, and the file must hold nothing else.
    guard Array(sealed(members).utf8) == bytes else { return .changed }
    return unknown.isEmpty ? .state(state) : .newer(unknown)
  }

  /// The file's text.
  var text: String {
    var members: JSONObject = [
      "customer_id": .string(customer.text), "store_session": .string(storeSession),
      "store": .string(store.description), "storefront": .string(storefront.description),
    ]
    if locale != Self.defaultLocale { members["locale"] = .string(locale) }
    members["store_switches"] = StoreKitSwitches.json(switches)
    return Self.sealed(members)
  }

  static func sealed(_ members: JSONObject) -> String {
    let sum = Checksum.of(JSONValue.object(members).text().utf8)
    var all = members
    all[checksumName] = .string(HexForm.hex(UInt64(sum), digits: 8))
    return JSONValue.object(all).text(.pretty) + "\n"
  }

  private init?(_ json: JSONValue) {
    guard let text = json["customer_id"]?.text, let customer = try? CustomerID(text),
      let session = json["store_session"]?.text,
      let storefront = json["storefront"]?.text.flatMap(StorefrontCode.init(exactly:))
    else { return nil }
    // A file edited by hand may leave out the store.
    let store = json["store"]?.text.flatMap(Store.init(name:)) ?? .apple
    self.init(
      customer: customer, storeSession: session, store: store, storefront: storefront,
      locale: json["locale"]?.text ?? Self.defaultLocale, switches: StoreKitSwitches.read(json["store_switches"]))
  }
}
