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
      return commands.isEmpty ? [] : lanes[0].joinBlocking(commands).map(\.answer)
    }
    var results: [Result<Booking, LedgerError>] = []
    results.reserveCapacity(commands.count)
    for start in stride(from: 0, to: commands.count, by: Limits.commandsPerGroup) {
      let end = min(start + Limits.commandsPerGroup, commands.count)
      results += lanes[0].joinBlocking(Array(commands[start..<end])).map(\.answer)
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
      let decision = await lane.join(command)
      if !decision.belongsElsewhere { return try decision.booking() }
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
    var results = [Result<Booking, LedgerError>](repeating: .failure(.keepsMoving), count: asked.count)
    let callers = load.begin(asked.count)
    defer { load.end(asked.count) }
    var open = Array(asked.indices)
    var triesLeft = Self.routesMax
    do throws(LedgerError) {
      while !open.isEmpty, triesLeft > 0 {
        let commands = try open.map { (index) throws(LedgerError) in try stocked(asked[index]) }
        let decisions = whole(callers: callers)?.joinBlocking(commands) ?? joinInOrder(commands)
        for (index, decision) in zip(open, decisions) where !decision.belongsElsewhere {
          results[index] = decision.answer
        }
        let left = zip(open, decisions).filter { $1.belongsElsewhere }.map(\.0)
        triesLeft = left.count < open.count ? Self.routesMax : triesLeft - 1
        open = left
      }
    } catch {
      for index in open { results[index] = .failure(error) }
    }
    return results
  }

  /// Books a list part by part, up to and including the first part with a misrouted command.
  ///
  /// The commands after that part may depend on it, and are routed again with the misrouted ones.
  private func joinInOrder(_ commands: [LedgerCommand]) -> [Decision] {
    var decisions: [Decision] = []
    decisions.reserveCapacity(commands.count)
    var end = Decision.belongsElsewhere
    do throws(LedgerError) {
      while decisions.count < commands.count {
        let rest = commands[decisions.count...]
        let count = rest.independentCount
        let part =
          count > 0
          ? joinInParallel(Array(rest.prefix(count)))
          // The first of them, and the commands after it, which may depend on it.
          : try joinCrossing(Array(rest.prefix(Limits.commandsPerGroup)))
        decisions += part
        if part.contains(where: \.belongsElsewhere) { break }
      }
    } catch {
      end = .refused(error)
    }
    decisions += repeatElement(end, count: commands.count - decisions.count)
    return decisions
  }

  /// A group for several lanes locks them itself, and stops at the first misrouted command.
  private func joinCrossing(_ commands: [LedgerCommand]) throws(LedgerError) -> [Decision] {
    let lane = commands.count > 1 ? crossing : lane(of: try storage.lanes(of: commands)[0])
    return lane.joinBlocking(commands)
  }

  /// Books each command in its lane, in parallel.
  ///
  /// A lane stops after a group with a misrouted command.
  private func joinInParallel(_ commands: [LedgerCommand]) -> [Decision] {
    var positions: [ObjectIdentifier: (lane: Lane, positions: [Int])] = [:]
    let decisions = Mutex([Decision](repeating: .belongsElsewhere, count: commands.count))
    for (position, route) in zip(commands.indices, storage.routes(of: commands)) {
      let lanes: [Int]
      do throws(LedgerError) {
        lanes = try route.get()
      } catch {
        decisions.withLock { $0[position] = .refused(error) }
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
        decisions.withLock { decisions in
          for (position, decision) in zip(group, booked) { decisions[position] = decision }
        }
        if booked.contains(where: \.belongsElsewhere) { break }
      }
    }
    return decisions.withLock { $0 }
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

extension LedgerError {
  fileprivate static let keepsMoving = LedgerError(
    .storageUnavailable, "The customer is being merged again and again; nothing was booked. Ask again.")
}
