/// The notes on a `.storekit` file; a note on several products names them in one sentence.
struct StoreKitNotes {
  /// A note that may concern several products.
  enum Topic: CaseIterable {
    case referenceNames
    case idsAsNames
    case offers
    case billingPlans
    case familySharing
    case changesWithinAGroup
    case withoutPeriod

    fileprivate var beginning: String {
      switch self {
      case .referenceNames: "The reference name is the title, because there is no display name, for"
      case .idsAsNames: "The product id shows, because there is no name, for"
      case .offers: "Offers are left out, and every period has the full price, for"
      case .billingPlans: "Billing plans are left out for"
      case .familySharing: "Family sharing is left out, and a purchase belongs to its buyer alone, for"
      case .changesWithinAGroup:
        "Subscriptions are sold one by one, without changes from one to another within the group, in"
      case .withoutPeriod: "There is no period, and a subscription without one cannot be bought, for"
      }
    }
  }

  /// The maximum number of names in a sentence.
  private static let namesMax = 5

  private var plain: [String] = []
  private var names: [Topic: [String]] = [:]

  mutating func add(_ sentence: String) { plain.append(sentence) }

  mutating func add(_ topic: Topic, _ name: String) { names[topic, default: []].append(name) }

  /// All notes, those on several products first.
  var sentences: [String] {
    let topics = Topic.allCases.compactMap { topic in names[topic].map { "\(topic.beginning) \(Self.list($0))." } }
    return topics + plain
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(namesMax).map { "\"\($0.abridged)\"" }.joined(separator: ", ")
    return names.count > namesMax ? "\(shown) and \(names.count - namesMax) more" : shown
  }
}
