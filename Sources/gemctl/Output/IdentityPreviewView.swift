import GemLedger
import LedgerCharts
import StoreBackend

/// The effects of a sign-in, an alias or a restore, for `--dry-run`.
enum IdentityPreviewView {
  static func json(_ preview: IdentityPreview) -> JSONValue {
    [
      "dry_run": .bool(true), "customer_id": .string(preview.customer.text), "created": .bool(preview.isCreated),
      "merges": .array(preview.merges.map(json)), "moved_entitlements": ids(preview.movedEntitlements.map(\.text)),
      "uncredited": ids(preview.uncredited.map(\.text)),
    ]
  }

  private static func json(_ merge: MergePreview) -> JSONValue {
    [
      "from": ids(merge.from.map(\.text)), "into": ids(merge.into.map(\.text)),
      "balances": .object(merge.balances) {
        (
          $0.currency.description,
          ["balance": .integer($0.balance), "held": .integer($0.held), "debt": .integer($0.debt)]
        )
      },
      "items": .object(merge.items) { ($0.item.text, .integer($0.quantity)) },
    ]
  }

  private static func ids(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

  static func text(_ preview: IdentityPreview, style: Style) -> String {
    let customer = style.bold(SafeText.escaped(preview.customer.text))
    var text = style.dim("Dry run; nothing was changed.") + "\n"
    if preview.isCreated { text += "\(customer) is a new id.\n" }
    for merge in preview.merges { text += self.text(merge) }
    for id in preview.movedEntitlements {
      text += "The entitlement of \(SafeText.escaped(id.text)) would move to \(customer).\n"
    }
    for id in preview.uncredited { text += "\(SafeText.escaped(id.text)) has no credit yet and would be posted.\n" }
    if !preview.movesAnything { text += "No customer would be merged into \(customer).\n" }
    return text
  }

  private static func text(_ merge: MergePreview) -> String {
    let balances = merge.balances.map { balance in
      let debt = balance.debt > 0 ? " with a debt of \(AmountText.grouped(balance.debt))" : ""
      return "\(AmountText.grouped(balance.balance)) \(balance.currency)\(debt)"
    }
    let items = merge.items.map { "\(AmountText.grouped($0.quantity)) \(SafeText.escaped($0.item.text))" }
    let moved = balances + items
    let (from, into) = (names(merge.from), names(merge.into))
    return "\(from) would be merged into \(into): "
      + (moved.isEmpty ? "nothing would move" : "\(moved.joined(separator: ", ")) would move") + ".\n"
  }

  private static func names(_ ids: [CustomerID]) -> String {
    ids.map { SafeText.escaped($0.text) }.joined(separator: " = ")
  }
}
