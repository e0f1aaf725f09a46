extension Array {
  /// Returns the index of the first element of the second part; all elements of the first part precede it.
  func partitioningIndex(isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
