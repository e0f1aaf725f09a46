#if Server
internal import GemLedger
internal import GemServer
internal import StoreBackend

/// The purchases that stores confirmed and that are not credited yet.
struct HeldReceiptList {
  let visit: Visit

  /// Longer lists are counted to this number only.
  static let countMax = 1000
  private static let pageSize = 50

  /// The reasons that hold a purchase, with the counts of their purchases.
  static func counts(_ visit: Visit) throws(LedgerError) -> [(reason: HoldReason, count: Int)] {
    try visit.project.backend.heldCounts(limit: countMax).sorted { $0.key.rawValue < $1.key.rawValue }.map {
      (reason: $0.key, count: $0.value)
    }
  }

  /// The first purchases of each open reason, and links to all lists.
  var overview: HTML {
    get throws(LedgerError) {
      let counts = try Self.counts(visit)
      let (open, closed) = (counts.filter(\.reason.isOpen), counts.filter { !$0.reason.isOpen })
      var parts: [HTML] = []
      for (reason, count) in open {
        let held = try visit.project.backend.heldPurchases(for: reason, limit: 10)
        parts.append(
          .group([
            .p(.badge(reason.name, "warning"), " ", link(reason, count), .text(": \(reason.remedy)")),
            table(held, reason),
          ]))
      }
      if open.isEmpty { parts.append(.p("No purchase waits: all known paid purchases are credited.")) }
      let others = closed.map {
        HTML.group([link($0.reason, $0.count), .text(" \($0.reason.name): \($0.reason.remedy)")])
      }
      return .group([
        .section("Held receipts", .group(parts)),
        others.isEmpty ? .none : .section("Receipts that nobody has to act on", .list(others)),
      ])
    }
  }

  private func link(_ reason: HoldReason, _ count: Int) -> HTML {
    let text: HTML = count < Self.countMax ? visit.reader.amount(Int64(count)) : .text("\(Self.countMax) or more")
    return .link(text, to: ConsolePath("purchases", "held", reason.name))
  }

  /// All purchases of the reason in the path, by pages.
  var page: ConsolePage {
    get throws(LedgerError) {
      guard let reason = HoldReason.allCases.first(where: { $0.name == visit.name("reason") }) else {
        throw .invalid("There is no such reason to hold a purchase.")
      }
      let found = try visit.project.backend.heldPurchases(for: reason, after: place, limit: Self.pageSize + 1)
      let shown = Array(found.prefix(Self.pageSize))
      let next = found.count > shown.count ? shown.last.map { "\($0.place.first)_\($0.place.second)" } : nil
      return ConsolePage(
        "Held receipts: \(reason.name)", .p(.text("Remedy: \(reason.remedy)")), table(shown, reason),
        visit.nextPage(next))
    }
  }

  private var place: IndexPlace? {
    get throws(LedgerError) {
      guard let text = visit.query["after"] else { return nil }
      let parts = text.split(separator: "_").map { Int64($0) }
      guard parts.count == 2, let first = parts[0], let second = parts[1] else {
        throw .invalid("This is no place in the list. Begin with its first page.")
      }
      return IndexPlace(first, second)
    }
  }

  private func table(_ held: [HeldPurchase], _ reason: HoldReason) -> HTML {
    Self.table(held, "Held because of: \(reason.name)", visit)
  }

  static func table(_ held: [HeldPurchase], _ caption: String, _ visit: Visit) -> HTML {
    let mayCredit = visit.session.allows(.purchases.writing)
    return DataTable(
      caption, ["Purchase", "Since", "Due", "Store product", "Customer", "Store", "Do"],
      held.map { one in
        let name = (one.store, one.environment, one.transactionID)
        return [
          .link(.foreign(one.transactionID.text, limit: 30), to: PurchaseTable.path(name.0, name.1, name.2)),
          visit.reader.time(one.since), one.dueAt.map(visit.reader.time) ?? "–",
          one.transaction.map { .foreign($0.storeProductID) } ?? "–",
          one.customer.map(HTML.customer) ?? "–", .text("\(one.store), \(one.environment)"),
          mayCredit ? .button("Credit", to: PurchaseTable.path(name.0, name.1, name.2, "credit")) : .none,
        ]
      }
    ).html(none: "No purchases.")
  }
}
#endif
