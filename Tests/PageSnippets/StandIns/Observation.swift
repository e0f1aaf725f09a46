#if canImport(Combine)
@_exported import Combine
#else
/// What SwiftUI observes, where there is no Combine.
protocol ObservableObject: AnyObject {}

/// A property of an observable object, where there is no Combine.
@propertyWrapper
struct Published<Value> {
  var wrappedValue: Value
}
#endif
