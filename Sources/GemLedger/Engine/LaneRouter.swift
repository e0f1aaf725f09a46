internal import Dispatch
internal import Synchronization

/// Hands commands to the lanes that they may write to.
///
/// Commands of one lane join its groups. Commands of several lanes gather in separate groups, which lock all lanes
/// that they need. With few callers, the commands of all lanes gather in one group if the storage locks all lanes at
/// little cost.
final class LaneRouter: Sendable {
  let lanes: [Lane]
  /// The lane for commands that touch several lanes; the only lane if there is only one.
  private let crossing: Lane
  /// All lanes together, for few callers; nil if the storage does not lock them together.
  private let whole: Lane?
  private let load = CallerLoad()
  private let routes: RouteFinder
  private let storage: any LedgerStorage
  private let catalog: CatalogCache
  /// Items with a stock customer that is known to exist.
  private let stocks = Mutex<Set<ItemID>>([])

  init(storage: some LedgerStorage, clock: LedgerClock, catalog: CatalogCache, commits: CommitSignal) {
    self.storage = storage
    self.catalog = catalog
    routes = RouteFinder(storage: storage)
    func makeLane(_ lanes: [Int]?) -> Lane {
      Lane(
        committer: GroupCommitter(storage: storage, lanes: lanes, clock: clock, catalog: catalog, commits: commits),
        isFarAway: storage.traits.isRemote)
    }
    let all = Array(0..<storage.traits.laneCount)
    lanes = all.map { makeLane([$0]) }
    crossing = lanes.count > 1 ? makeLane(nil) : lanes[0]
    whole = lanes.count > 1 && storage.traits.locksLanesTogether ? makeLane(all) : nil
  }

  /// How often a command is forwarded to other lanes before it fails; each time, a customer was merged or moved
  /// meanwhile.
  private static let routesMax = 16

  func route(_ command: LedgerCommand) async throws(LedgerError) -> Booking {
    if lanes.count > 1 { return try await routeAgain(command) }
    return try await lanes[0].join(command).booking()
  }

  func route(_ command: LedgerCommand) throws(LedgerError) -> Booking {
    if lanes.count > 1 { return try routeList([command])[0].get() }
    return try lanes[0].joinBlocking(command).booking()
  }

  func route(_ commands: [LedgerCommand]) -> [Result<Booking, LedgerError>] {
    if lanes.count > 1 { return routeList(commands) }
    if commands.count <= Limits.commandsPerGroup {
      return commands.isEmpty ? [] : lanes[0].joinBlocking(commands).results
    }
    var results: [Result<Booking, LedgerError>] = []
    results.reserveCapacity(commands.count)
    for start in stride(from: 0, to: commands.count, by: Limits.commandsPerGroup) {
      let end = min(start + Limits.commandsPerGroup, commands.count)
      results += lanes[0].joinBlocking(Array(commands[start..<end])).results
    }
    return results
  }

  // MARK: Several lanes

  private func routeAgain(_ command: LedgerCommand) async throws(LedgerError) -> Booking {
    var command = try stocked(command)
    let callers = load.begin(1)
    defer { load.end(1) }
    for _ in 0..<Self.routesMax {
      let lane = try await lane(for: command, callers: callers)
      let answers = await lane.join(command)
      if answers.elsewhere.isEmpty { return try answers.booking() }
      command = try stocked(command)
    }
    throw .keepsMoving
  }

  private func lane(of route: [Int]) -> Lane { route.count == 1 ? lanes[route[0]] : crossing }

  private func lane(for command: LedgerCommand, callers: Int) async throws(LedgerError) -> Lane {
    if let whole = whole(callers: callers) { return whole }
    return lane(of: try await routes.lanes(of: command))
  }

  /// All lanes together, if few callers book at the time.
  private func whole(callers: Int) -> Lane? { CallerLoad.few.contains(callers) ? whole : nil }

  private func routeList(_ asked: [LedgerCommand]) -> [Result<Booking, LedgerError>] {
    var answers = GroupAnswers(elsewhere: asked.count)
    let callers = load.begin(asked.count)
    defer { load.end(asked.count) }
    var open = Array(asked.indices)
    var triesLeft = Self.routesMax
    do throws(LedgerError) {
      while !open.isEmpty, triesLeft > 0 {
        let commands = try open.map { (index) throws(LedgerError) in try stocked(asked[index]) }
        answers.set(whole(callers: callers)?.joinBlocking(commands) ?? joinInOrder(commands), at: open)
        let left = open.filter(answers.elsewhere.contains)
        triesLeft = left.count < open.count ? Self.routesMax : triesLeft - 1
        open = left
      }
    } catch {
      for index in open { answers.set(.failure(error), at: index) }
    }
    return answers.results
  }

  /// Books a list part by part, up to and including the first part with a misrouted command.
  ///
  /// The commands after that part may depend on it, and are routed again with the misrouted ones.
  private func joinInOrder(_ commands: [LedgerCommand]) -> GroupAnswers {
    var answers = GroupAnswers(capacity: commands.count)
    do throws(LedgerError) {
      while answers.results.count < commands.count {
        let rest = commands[answers.results.count...]
        let count = rest.independentCount
        let part =
          count > 0
          ? joinInParallel(Array(rest.prefix(count)))
          // The first of them, and the commands after it, which may depend on it.
          : try joinCrossing(Array(rest.prefix(Limits.commandsPerGroup)))
        answers.append(contentsOf: part)
        if !part.elsewhere.isEmpty { break }
      }
      answers.appendElsewhere(count: commands.count - answers.results.count)
    } catch {
      while answers.results.count < commands.count { answers.append(.failure(error)) }
    }
    return answers
  }

  /// A group for several lanes locks them itself, and stops at the first misrouted command.
  private func joinCrossing(_ commands: [LedgerCommand]) throws(LedgerError) -> GroupAnswers {
    let lane = commands.count > 1 ? crossing : lane(of: try storage.lanes(of: commands)[0])
    return lane.joinBlocking(commands)
  }

  /// Books each command in its lane, in parallel.
  ///
  /// A lane stops after a group with a misrouted command.
  private func joinInParallel(_ commands: [LedgerCommand]) -> GroupAnswers {
    var positions: [ObjectIdentifier: (lane: Lane, positions: [Int])] = [:]
    let answers = Mutex(GroupAnswers(elsewhere: commands.count))
    for (position, route) in zip(commands.indices, storage.routes(of: commands)) {
      let lanes: [Int]
      do throws(LedgerError) {
        lanes = try route.get()
      } catch {
        answers.withLock { $0.set(.failure(error), at: position) }
        continue
      }
      let lane = lane(of: lanes)
      positions[ObjectIdentifier(lane), default: (lane, [])].positions.append(position)
    }
    let busy = Array(positions.values)
    DispatchQueue.concurrentPerform(iterations: busy.count) { index in
      let (lane, positions) = busy[index]
      for start in stride(from: 0, to: positions.count, by: Limits.commandsPerGroup) {
        let group = positions[start..<min(start + Limits.commandsPerGroup, positions.count)]
        let booked = lane.joinBlocking(group.map { commands[$0] })
        answers.withLock { $0.set(booked, at: group) }
        if !booked.elsewhere.isEmpty { break }
      }
    }
    return answers.withLock { $0 }
  }

  /// The command with the stock that it is known to need.
  private func stocked(_ command: LedgerCommand) throws(LedgerError) -> LedgerCommand {
    guard let item = command.itemOfAnyStock, catalog.hasStock(item) else { return command }
    if !stocks.withLock({ $0.contains(item) }) {
      _ = try route(LedgerCommand.createCustomer(CustomerID(ofStock: item)).namedByLedger())
      stocks.withLock { _ = $0.insert(item) }
    }
    return command.declaringStock
  }
}

extension ArraySlice<LedgerCommand> {
  /// The number of leading commands that may be booked in parallel, if the order for each customer is kept.
  fileprivate var independentCount: Int {
    var claims: Set<LedgerCommand.PurchaseClaim> = []
    return prefix { $0.isIndependent(of: &claims) }.count
  }
}

extension LedgerCommand {
  /// Whether it may be booked in parallel with the commands of other customers.
  ///
  /// - Parameter claims: The store transactions of the other commands of its list.
  fileprivate func isIndependent(of claims: inout Set<PurchaseClaim>) -> Bool {
    switch body.action.command.independence {
    case .ofOtherCustomers: true
    case .ofOtherPurchases: (footprint?.purchases ?? []).allSatisfy { claims.insert($0).inserted }
    case .none: false
    }
  }
}
