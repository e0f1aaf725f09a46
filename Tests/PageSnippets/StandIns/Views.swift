#if canImport(SwiftUI)
@_exported import SwiftUI
#else

// SwiftUI's part that a store screen is written in, where there is no SwiftUI: enough to build the screen, read its
// texts and tap its buttons.

/// A built screen: its texts, its buttons and its tasks in the order of the screen.
@MainActor
final class Screen {
  var texts: [String] = []
  var buttons: [(label: [String], isDisabled: Bool, action: @MainActor () -> Void)] = []
  var tasks: [@MainActor () async -> Void] = []
  private var label: [String]?
  private var isDisabled = false

  init(_ view: any View) { view.build(self) }

  func text(_ text: String) {
    if label != nil { label?.append(text) } else { texts.append(text) }
  }

  func button(_ action: @escaping @MainActor () -> Void, label body: any View) {
    label = []
    body.build(self)
    buttons.append((label ?? [], isDisabled, action))
    label = nil
  }

  func disabled(_ isDisabled: Bool, _ body: any View) {
    self.isDisabled = isDisabled
    body.build(self)
    self.isDisabled = false
  }
}

@MainActor
protocol View {
  associatedtype Body: View
  var body: Body { get }
  func build(_ screen: Screen)
}

extension View {
  func build(_ screen: Screen) { body.build(screen) }
}

/// The body of a view that builds itself.
struct Nothing: View {
  var body: Nothing { self }
  func build(_ screen: Screen) {}
}

/// A view that builds itself.
@MainActor
protocol Leaf: View where Body == Nothing {}

extension Leaf {
  var body: Nothing { Nothing() }
}

@resultBuilder
@MainActor
enum ViewBuilder {
  static func buildBlock(_ views: any View...) -> Group { Group(views: views) }
  static func buildExpression(_ view: any View) -> any View { view }
}

struct Group: Leaf {
  let views: [any View]
  func build(_ screen: Screen) { for view in views { view.build(screen) } }
}

struct Text: Leaf {
  let text: String
  init(_ text: String) { self.text = text }
  func build(_ screen: Screen) { screen.text(text) }
}

struct Spacer: Leaf {
  func build(_ screen: Screen) {}
}

struct Label: Leaf {
  let title: String
  init(_ title: String, systemImage: String) { self.title = title }
  func build(_ screen: Screen) { screen.text(title) }
}

/// A container that shows its content one after the other.
struct Stack: Leaf {
  let content: Group
  init(@ViewBuilder content: () -> Group) { self.content = content() }
  func build(_ screen: Screen) { content.build(screen) }
}

typealias NavigationStack = Stack
typealias List = Stack
typealias HStack = Stack

struct Section: Leaf {
  let title: String
  let content: Group
  init(_ title: String, @ViewBuilder content: () -> Group) { (self.title, self.content) = (title, content()) }
  func build(_ screen: Screen) {
    screen.text(title)
    content.build(screen)
  }
}

struct ForEach<Element, ID: Hashable>: Leaf {
  let elements: [Element]
  let content: (Element) -> Group
  init(_ elements: [Element], id: KeyPath<Element, ID>, @ViewBuilder content: @escaping (Element) -> Group) {
    (self.elements, self.content) = (elements, content)
  }
  func build(_ screen: Screen) { for element in elements { content(element).build(screen) } }
}

enum ButtonRole { case cancel }

struct Button: Leaf {
  let action: @MainActor () -> Void
  let label: Group
  init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Group) {
    (self.action, self.label) = (action, label())
  }
  init(_ title: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
    (self.action, label) = (action, Group(views: [Text(title)]))
  }
  func build(_ screen: Screen) { screen.button(action, label: label) }
}

/// A view with something beside it.
struct Modified: Leaf {
  let inner: any View
  let change: @MainActor (Screen, any View) -> Void
  func build(_ screen: Screen) { change(screen, inner) }
}

enum Font { case headline }
enum Style { case secondary }

extension View {
  private func modified(_ change: @escaping @MainActor (Screen, any View) -> Void) -> Modified {
    Modified(inner: self, change: change)
  }
  func font(_ font: Font) -> some View { modified { $1.build($0) } }
  func foregroundStyle(_ style: Style) -> some View { modified { $1.build($0) } }
  func navigationTitle(_ title: String) -> some View {
    modified {
      $0.text(title)
      $1.build($0)
    }
  }
  func disabled(_ isDisabled: Bool) -> some View { modified { $0.disabled(isDisabled, $1) } }
  func task(_ action: @escaping @MainActor () async -> Void) -> some View {
    modified {
      $1.build($0)
      $0.tasks.append(action)
    }
  }
  func alert(
    _ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Group, @ViewBuilder message: () -> Group
  ) -> some View {
    let (actions, message) = (actions(), message())
    return modified {
      $1.build($0)
      guard isPresented.wrappedValue else { return }
      $0.text(title)
      message.build($0)
      actions.build($0)
      isPresented.wrappedValue = false
    }
  }
}

@MainActor
@propertyWrapper
struct Binding<Value> {
  let get: @MainActor () -> Value
  let set: @MainActor (Value) -> Void
  init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    (self.get, self.set) = (get, set)
  }
  var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
}

@MainActor
@propertyWrapper
struct StateObject<Value: ObservableObject> {
  let wrappedValue: Value
}

@MainActor
@propertyWrapper
final class State<Value> {
  var wrappedValue: Value
  init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@MainActor
protocol Scene {
  var content: any View { get }
}

struct WindowGroup: Scene {
  let content: any View
  init(@ViewBuilder content: () -> Group) { self.content = content() }
}

@MainActor
protocol App {
  associatedtype Body: Scene
  init()
  var body: Body { get }
}
#endif
