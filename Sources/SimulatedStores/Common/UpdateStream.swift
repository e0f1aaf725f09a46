internal import Synchronization

/// The items that wait for one reader of a stream; the reader owns the buffer, and the store has a weak reference.
final class UpdateStream<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item] = []
    var head = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
    var isEnded = false

    mutating func take() -> Item? {
      guard head < items.count else { return nil }
      defer {
        head += 1
        tidy()
      }
      return items[head]
    }

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [] }
      return waiters
    }

    mutating func tidy() {
      guard head > 64, head * 2 > items.count else { return }
      items.removeFirst(head)
      head = 0
    }
  }

  /// The maximum number of items that wait for a reader; the oldest is dropped first, and is then in the store's lists
  /// only.
  static var waitingMax: Int { 65_536 }

  /// The device of the stream; empty names for the backend's.
  let name: DeviceName
  private let state = Mutex(State())

  init(_ name: DeviceName = DeviceName(account: "", device: "")) { self.name = name }

  func push(_ item: Item) {
    let waiters = state.withLock { state in
      guard !state.isEnded else { return [CheckedContinuation<Void, Never>]() }
      state.items.append(item)
      if state.items.count - state.head > Self.waitingMax { state.head += 1 }
      state.tidy()
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  func end() {
    let waiters = state.withLock { state in
      state.isEnded = true
      state.items = []
      state.head = 0
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns the next item, if any.
  func poll() -> Item? { state.withLock { $0.take() } }

  /// Returns the next item; nil once the stream has ended, or when the reader's task is cancelled.
  func next() async -> Item? {
    await withTaskCancellationHandler {
      while true {
        let (item, isEnded) = state.withLock { ($0.take(), $0.isEnded) }
        if item != nil || isEnded { return item }
        await withCheckedContinuation { wait($0) }
      }
    } onCancel: {
      end()
    }
  }

  private func wait(_ continuation: CheckedContinuation<Void, Never>) {
    let isNeeded = state.withLock { state in
      // Unless an item arrived in between.
      guard state.head == state.items.count, !state.isEnded else { return false }
      state.waiters.append(continuation)
      return true
    }
    if !isNeeded { continuation.resume() }
  }
}

/// The readers that are still there.
struct UpdateStreamList<Item: Sendable>: Sendable {
  private struct WeakUpdateStream {
    weak var feed: UpdateStream<Item>?
  }

  private var updateStreams: [WeakUpdateStream] = []

  var all: [UpdateStream<Item>] { updateStreams.compactMap(\.feed) }

  var isEmpty: Bool { updateStreams.isEmpty }

  mutating func add(_ feed: UpdateStream<Item>) {
    updateStreams.removeAll { $0.feed == nil }
    updateStreams.append(WeakUpdateStream(feed: feed))
  }

  /// Ends the streams of a device.
  mutating func end(_ name: DeviceName) {
    for feed in all where feed.name == name { feed.end() }
    updateStreams.removeAll { $0.feed.map { $0.name == name } ?? true }
  }
}
