import GemLedger
import LedgerCharts
import StoreBackend

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Delivers a paid order through a shell command: JSON on its standard input, confirmed by exit status 0.
struct CommandDelivery: DeliveryTarget {
  let command: String

  /// A command that takes longer is killed, and the delivery counts as unconfirmed.
  private static let timeout = Duration.seconds(30)
  private static let pollInterval = Duration.milliseconds(10)

  func deliver(_ delivery: Delivery) async -> Bool {
    guard var shell = ShellProcess(command, input: Self.json(delivery).text() + "\n") else { return false }
    let clock = ContinuousClock()
    let deadline = clock.now + Self.timeout
    while true {
      if let isConfirmed = shell.poll() { return isConfirmed }
      guard clock.now < deadline else { break }
      // A cancelled task waits too: the command is at work.
      do { try await clock.sleep(for: Self.pollInterval) } catch { usleep(10_000) }
    }
    shell.kill()
    return false
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
