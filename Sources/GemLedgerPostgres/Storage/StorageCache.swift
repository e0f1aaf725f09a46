#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The data that a storage caches between groups, for all of its connections: immutable rows, and hints.
final class StorageCache: Sendable {
  private let known = Mutex<ProjectRow?>(nil)
  let directory = CustomerDirectory()
  let laneTurns = LaneTurns()
  /// Whether the catalog was read before; the first reader also needs the currencies.
  let knowsCatalog = Atomic(false)
  /// The number of further groups that prefetch counts; each request for counts restarts the number.
  let countDemand = Atomic(0)
  static let countDemandMax = 64
  /// The number of further groups that prefetch their customers' first lots; an account with one restarts the number.
  let lotDemand = Atomic(StorageCache.lotDemandMax)
  static let lotDemandMax = 64
  private let environments = Mutex<[StoreEnvironment: Int64]>([:])
  private let frozenProduct = Mutex<[ByteString: Int64]>([:])
  /// The products and items that groups have read since the catalog changed, including unknown ones.
  private let catalogKeys = Mutex<Set<IndexKey>>([])
  private static let catalogKeyCountMax = 20_000

  /// The ends of lanes for the feed of a distributed engine.
  let feedEnds = ClusterFeedEnds()

  /// The project, once the storage is open; it never changes.
  var project: ProjectRow? { known.withLock { $0 } }

  func remember(_ project: ProjectRow) { known.withLock { $0 = project } }

  /// The number of times that the cache was cleared.
  var epoch: Int { directory.epoch }

  /// Clears the cache.
  ///
  /// Rows whose read started earlier are not stored any more.
  func forgetAll() {
    directory.forgetAll()
    environments.withLock { $0.removeAll() }
    frozenProduct.withLock { $0.removeAll() }
    catalogKeys.withLock { $0.removeAll() }
    feedEnds.forgetAll()
  }

  /// Returns the number of a known environment; environments without a session have fixed numbers.
  func number(of environment: StoreEnvironment) -> Int64? {
    guard environment.session != nil else { return environment.kind.rawValue }
    return environments.withLock { $0[environment] }
  }

  func remember(_ rows: [EnvironmentRow], since epoch: Int) {
    environments.withLock { known in
      guard self.epoch == epoch else { return }
      for row in rows { known[row.environment] = row.number }
    }
  }

  /// Returns the products and items that no group has read since the catalog changed, and marks them as read.
  func unread(_ keys: Set<IndexKey>, isChanged: Bool) -> Set<IndexKey> {
    if keys.isEmpty, !isChanged { return [] }
    return catalogKeys.withLock { known in
      if isChanged || known.count > Self.catalogKeyCountMax { known.removeAll() }
      let unread = keys.subtracting(known)
      known.formUnion(unread)
      return unread
    }
  }

  /// Returns the number of a frozen grant that the database has; nil if unknown.
  func number(ofFrozenProduct document: ByteString) -> Int64? { frozenProduct.withLock { $0[document] } }

  func remember(frozenProduct document: ByteString, number: Int64, since epoch: Int) {
    frozenProduct.withLock { known in
      guard self.epoch == epoch else { return }
      if known.count > 1024 { known.removeAll() }
      known[document] = number
    }
  }
}
#endif
