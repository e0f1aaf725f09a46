import GemLedger
import StoreBackend

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Delivers a paid order through a shell command: JSON on its standard input, confirmed by exit status 0.
struct CommandDelivery: DeliveryTarget {
  let command: String

  /// A command that takes longer is ended, and the delivery counts as not confirmed.
  private static let timeout = Duration.seconds(30)
  private static let pollInterval = Duration.milliseconds(10)

  func deliver(_ delivery: Delivery) async -> Bool {
    let document = Self.json(delivery).text() + "\n"
    guard let process = start(reading: document) else { return false }
    let clock = ContinuousClock()
    let deadline = clock.now + Self.timeout
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      guard clock.now < deadline else {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return false
      }
      // A cancelled task waits too: the command is at work.
      do { try await clock.sleep(for: Self.pollInterval) } catch { usleep(10_000) }
    }
    return status == 0
  }

  /// Starts the shell with the text on its standard input; nil where that fails.
  private func start(reading text: String) -> pid_t? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_addclose(&actions, ends[1])
    // Standard output is the verb's own answer.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var process: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = []
    for word in ["/bin/sh", "-c", command] { arguments.append(strdup(word)) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    let isStarted = posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, environ) == 0
    // A document is far smaller than a pipe holds, so that this never waits for the reader.
    if isStarted { _ = Array(text.utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) } }
    close(ends[1])
    return isStarted ? process : nil
  }

  private static func json(_ delivery: Delivery) -> JSONValue {
    let context = delivery.context
    return [
      "purchase_code": .string(delivery.purchaseCode.text), "customer_id": .string(delivery.customer.text),
      "product_id": .string(delivery.product.text), "quantity": .integer(delivery.quantity),
      "price": MoneyText.json(delivery.price),
      "items": .array(delivery.items.map { ["id": .string($0.id), "quantity": .integer($0.quantity)] }),
      "context": [
        "game_id": JSONValue(context.gameID), "role_id": JSONValue(context.roleID),
        "role_name": JSONValue(context.roleName), "server_id": JSONValue(context.serverID),
        "recharge_type": JSONValue(context.rechargeType), "extra_data": JSONValue(context.extraData),
      ],
      "store_transaction_id": .string(delivery.storeTransactionID.text),
      "store": .string(delivery.store.description),
    ]
  }
}
