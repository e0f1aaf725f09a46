import GemLedger
import LedgerCharts

/// The returned and the missing parts of a merge after an unmerge.
enum UnmergeView {
  static func json(_ report: UnmergeReport) -> JSONValue {
    [
      "survivor_id": .string(report.survivor.text), "merge_transaction_id": .string(report.merge.description),
      "whole": .bool(report.isWhole),
      "lots": .array(report.lots) { lot in
        [
          "currency": .string(lot.currency.description), "lot": .integer(lot.lot), "source": .string(lot.source.name),
          "moved": .integer(lot.moved), "returned": .integer(lot.returned), "missing": .integer(lot.missing),
        ]
      },
      "debts": .array(report.debts) { debt in
        [
          "currency": .string(debt.currency.description), "moved": .integer(debt.moved),
          "returned": .integer(debt.returned), "missing": .integer(debt.missing),
        ]
      },
      "items": .array(report.items) { item in
        [
          "item_id": .string(item.item.text), "moved": .integer(item.moved), "returned": .integer(item.returned),
          "missing": .integer(item.missing),
        ]
      },
    ]
  }

  /// A line for each lot, debt and item that the merge moved.
  static func text(_ report: UnmergeReport, style: Style) -> String {
    typealias Line = (object: String, source: String, moved: Int64, returned: Int64, missing: Int64)
    var lines = report.lots.map { lot -> Line in
      ("\(lot.currency) lot \(lot.lot)", lot.source.name, lot.moved, lot.returned, lot.missing)
    }
    lines += report.debts.map { ("\($0.currency) debt", "", $0.moved, $0.returned, $0.missing) }
    lines += report.items.map { ($0.item.text, "item", $0.moved, $0.returned, $0.missing) }
    let table = lines.table([
      .text("OBJECT", \.object), .left("SOURCE", \.source), .amount("MOVED", \.moved),
      .amount("RETURNED", \.returned), .amount("MISSING", \.missing),
    ])
    let survivor = SafeText.escaped(report.survivor.text)
    let note =
      table.isEmpty
      ? "The merge moved nothing."
      : report.isWhole
        ? "Everything that the merge moved was returned from \(survivor)."
        : "The missing part was spent, expired, refunded, held or used for a debt; \(survivor) does not "
          + "replace it."
    return (table.isEmpty ? "" : table.text(style: style)) + style.dim(note) + "\n"
  }
}
