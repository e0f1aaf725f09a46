internal import SimulatedStores

/// An error that a test makes a StoreKit call fail with.
public protocol SKTestFailure: Hashable, Sendable {}

/// The errors that tests can make StoreKit's calls fail with.
public enum SKTestFailures {
  /// Of ``Product/products(for:)``.
  public enum LoadProducts: SKTestFailure {
    /// Any call's error.
    case generic(StoreKitError)
  }

  /// Of ``Product/purchase(options:)``.
  public enum Purchase: SKTestFailure {
    /// Any call's error.
    case generic(StoreKitError)
    /// An error that is specific to purchases.
    case purchase(Product.PurchaseError)
  }

  /// Of everything signed: it is unverified.
  public enum Verification: SKTestFailure {
    /// The reason.
    case verification(VerificationResult<Transaction>.VerificationError)
  }

  /// Of ``AppStore/sync()``.
  public enum AppStoreSync: SKTestFailure {
    /// Any call's error.
    case generic(StoreKitError)
  }

  /// Of ``Product/SubscriptionInfo/status``.
  public enum SubscriptionStatus: SKTestFailure {
    /// Any call's error.
    case generic(StoreKitError)
  }
}

/// A failure that the simulated store can have.
protocol SimulatedFailure: SKTestFailure {
  var simulated: SimulatedError { get }
  /// The error that the test set.
  var thrown: any Error { get }
}

extension SKTestFailures.LoadProducts: SimulatedFailure {
  var thrown: any Error {
    switch self {
    case .generic(let error): error
    }
  }
  var simulated: SimulatedError {
    switch self {
    case .generic(let error): .store(error.storeFailure)
    }
  }
}

extension SKTestFailures.AppStoreSync: SimulatedFailure {
  var thrown: any Error {
    switch self {
    case .generic(let error): error
    }
  }
  var simulated: SimulatedError {
    switch self {
    case .generic(let error): .store(error.storeFailure)
    }
  }
}

extension SKTestFailures.SubscriptionStatus: SimulatedFailure {
  var thrown: any Error {
    switch self {
    case .generic(let error): error
    }
  }
  var simulated: SimulatedError {
    switch self {
    case .generic(let error): .store(error.storeFailure)
    }
  }
}

extension SKTestFailures.Purchase: SimulatedFailure {
  var thrown: any Error {
    switch self {
    case .generic(let error): error
    case .purchase(let error): error
    }
  }

  var simulated: SimulatedError {
    switch self {
    case .generic(let error): .store(error.storeFailure)
    case .purchase(let error): .store(error.storeFailure)
    }
  }
}

extension SKTestFailures.Verification: SimulatedFailure {
  var thrown: any Error {
    switch self {
    case .verification(let error): error
    }
  }
  var simulated: SimulatedError {
    switch self {
    case .verification(let error): .verification(error.failure)
    }
  }
}
