import GemLedger

/// The returned and the missing parts of a merge after an unmerge.
enum UnmergeView {
  static func json(_ report: UnmergeReport) -> JSONValue {
    [
      "survivor_id": .string(report.survivor.text), "merge_transaction_id": .string(report.merge.description),
      "whole": .bool(report.isWhole),
      "lots": .array(
        report.lots.map { lot in
          [
            "currency": .string(lot.currency.description), "lot": .integer(lot.lot), "source": .string(lot.source.name),
            "moved": .integer(lot.moved), "returned": .integer(lot.returned), "missing": .integer(lot.missing),
          ]
        }),
      "debts": .array(
        report.debts.map { debt in
          [
            "currency": .string(debt.currency.description), "moved": .integer(debt.moved),
            "returned": .integer(debt.returned), "missing": .integer(debt.missing),
          ]
        }),
      "items": .array(
        report.items.map { item in
          [
            "item_id": .string(item.item.text), "moved": .integer(item.moved), "returned": .integer(item.returned),
            "missing": .integer(item.missing),
          ]
        }),
    ]
  }

  /// A line for each lot, debt and item that the merge moved.
  static func text(_ report: UnmergeReport, style: Style) -> String {
    var table = Table([
      .text("OBJECT"), .left("SOURCE"), .right("MOVED"), .right("RETURNED"), .right("MISSING"),
    ])
    for lot in report.lots {
      table.add(
        ["\(lot.currency) lot \(lot.lot)", lot.source.name] + amounts(lot.moved, lot.returned, lot.missing))
    }
    for debt in report.debts {
      table.add(["\(debt.currency) debt", ""] + amounts(debt.moved, debt.returned, debt.missing))
    }
    for item in report.items { table.add([item.item.text, "item"] + amounts(item.moved, item.returned, item.missing)) }
    let isEmpty = report.lots.isEmpty && report.debts.isEmpty && report.items.isEmpty
    let survivor = SafeText.escaped(report.survivor.text)
    let note =
      isEmpty
      ? "The merge moved nothing."
      : report.isWhole
        ? "Everything that the merge moved was returned from \(survivor)."
        : "The missing part was spent, expired, refunded, held or used for a debt; \(survivor) does not "
          + "replace it."
    return (isEmpty ? "" : table.text(style: style)) + style.dim(note) + "\n"
  }

  private static func amounts(_ moved: Int64, _ returned: Int64, _ missing: Int64) -> [String] {
    [AmountText.grouped(moved), AmountText.grouped(returned), AmountText.grouped(missing)]
  }
}
