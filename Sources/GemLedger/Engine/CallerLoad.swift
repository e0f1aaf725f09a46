internal import Synchronization

/// How many commands a process books at a time, of late.
///
/// It is the most that were under way at once, in this run of bookings or in the one before. The callers of a group
/// return one after the other, so that the current number means little.
final class CallerLoad: Sendable {
  /// The numbers of callers that gather in one group for all lanes.
  ///
  /// Fewer have little to gather. Their groups lock one lane, and no group of another lane delays them.
  static let few = 4...16
  /// How many bookings a run has.
  private static let runLength = 64

  private struct State {
    var underWay = 0
    /// Bookings that this run has left.
    var left = CallerLoad.runLength
    var most = 0
    var mostBefore = 0
  }

  private let state = Mutex(State())

  /// Counts commands that begin now.
  ///
  /// - Returns: The most commands at once, of late, those included.
  func begin(_ count: Int) -> Int {
    state.withLock { state in
      state.underWay += count
      if state.left <= 0 { (state.left, state.mostBefore, state.most) = (Self.runLength, state.most, 0) }
      state.left -= count
      state.most = max(state.most, state.underWay)
      return max(state.most, state.mostBefore)
    }
  }

  func end(_ count: Int) { state.withLock { $0.underWay -= count } }
}
