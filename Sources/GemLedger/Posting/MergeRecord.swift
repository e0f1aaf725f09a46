/// A merge into a customer, or an unmerge that split the customer off.
package struct MergeRecord: Hashable, Sendable {
  package let row: MergeRow
  package let isUnmerge: Bool

  package init(row: MergeRow, isUnmerge: Bool) {
    self.row = row
    self.isUnmerge = isUnmerge
  }
}
