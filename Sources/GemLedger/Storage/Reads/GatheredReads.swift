extension Sequence {
  /// Reads rows for each element.
  ///
  /// If rows are missing, those of all elements are noted before the attempt ends: one load reads all of them.
  package func gather<Rows>(_ read: (Element) throws(LedgerError) -> Rows) throws(LedgerError) -> [Rows] {
    var found: [Rows] = []
    var lacksRows = false
    for element in self {
      do throws(LedgerError) {
        found.append(try read(element))
      } catch {
        guard error == .rowsMissing else { throw error }
        lacksRows = true
      }
    }
    if lacksRows { throw .rowsMissing }
    return found
  }

  /// Reads a row for one element after the other, until there is one.
  ///
  /// If rows are missing, those of all elements are noted before the attempt ends.
  package func firstRow<Row>(_ read: (Element) throws(LedgerError) -> Row?) throws(LedgerError) -> Row? {
    var lacksRows = false
    for element in self {
      do throws(LedgerError) {
        if let row = try read(element), !lacksRows { return row }
      } catch {
        guard error == .rowsMissing else { throw error }
        lacksRows = true
      }
    }
    if lacksRows { throw .rowsMissing }
    return nil
  }
}

/// Several reads of one attempt.
///
/// If one read lacks rows, the others are made too, so that one load reads the rows of all.
package struct JointReads {
  private var lacksRows = false

  package init() {}

  package mutating func read<Rows>(_ read: () throws(LedgerError) -> Rows) throws(LedgerError) -> Rows? {
    do throws(LedgerError) {
      return try read()
    } catch {
      guard error == .rowsMissing else { throw error }
      lacksRows = true
      return nil
    }
  }

  /// - Throws: `rowsMissing` if one of the reads threw it.
  package func end() throws(LedgerError) {
    if lacksRows { throw .rowsMissing }
  }
}
