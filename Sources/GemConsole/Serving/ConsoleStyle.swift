#if Server
/// The style sheet: light and dark, from 390 px on.
enum ConsoleStyle {
  static let text = """
    :root {
      color-scheme: light dark;
      --paper: #ffffff; --ink: #1f2328; --quiet: #59636e; --line: #d1d9e0; --soft: #f6f8fa;
      --link: #0550ae; --good: #116329; --good-soft: #dafbe1; --bad: #a40e26; --bad-soft: #ffebe9;
      --warn: #7d4e00; --warn-soft: #fff8c5; --note-soft: #ddf4ff; --focus: #0969da;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #0d1117; --ink: #f0f6fc; --quiet: #9da7b3; --line: #3d444d; --soft: #161b22;
        --link: #79b8ff; --good: #7ee787; --good-soft: #12261e; --bad: #ff9492; --bad-soft: #2d1214;
        --warn: #f0c674; --warn-soft: #272115; --note-soft: #121d2f; --focus: #4493f8;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
    a { color: var(--link); }
    :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
    .skip { position: absolute; left: -9999px; }
    .skip:focus { left: 8px; top: 8px; background: var(--paper); padding: 8px; z-index: 1; }
    body > header { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; padding: 10px 20px;
      border-bottom: 1px solid var(--line); background: var(--soft); }
    .brand { font-weight: 700; }
    nav ul { display: flex; flex-wrap: wrap; gap: 2px; list-style: none; margin: 0; padding: 0; }
    nav a { display: block; padding: 6px 10px; border-radius: 6px; text-decoration: none; color: var(--ink); }
    nav a:hover { background: var(--line); }
    nav a[aria-current] { background: var(--paper); box-shadow: inset 0 0 0 1px var(--line); font-weight: 600; }
    main { max-width: 1280px; margin: 0 auto; padding: 12px 20px 40px; }
    main.sign-in { max-width: 460px; padding-top: 12vh; }
    h1 { font-size: 26px; line-height: 1.25; margin: 12px 0 16px; overflow-wrap: anywhere; }
    h2 { font-size: 18px; margin: 28px 0 8px; }
    bdi, code, pre, dd, .message { overflow-wrap: anywhere; }
    code, pre, textarea { font: 13px/1.5 ui-monospace, monospace; }
    pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 12px; overflow: auto;
      white-space: pre-wrap; }
    small, .empty, .quiet { color: var(--quiet); }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; }
    caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line);
      min-width: 72px; max-width: 420px; overflow-wrap: break-word; }
    /* Stacked marks of a name do not cover other rows. */
    th, td, dd, h1 { overflow: clip; overflow-clip-margin: 5px; }
    td:has(bdi), th:has(bdi), td:has(code), th:has(code) { min-width: 140px; }
    .number + .text { padding-left: 18px; }
    thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; overflow-wrap: normal; }
    tbody th { font-weight: 500; }
    .number { text-align: right; font-variant-numeric: tabular-nums; }
    td time, th time, data { white-space: nowrap; }
    td ul, dd ul { margin: 0; padding: 0; list-style: none; }
    .plus { color: var(--good); } .minus { color: var(--bad); }
    dl.facts { display: grid; grid-template-columns: minmax(90px, max-content) 1fr; gap: 4px 20px; margin: 0; }
    dt { color: var(--quiet); } dd { margin: 0; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 12px; }
    .tile { border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; background: var(--soft); }
    .tile ul { list-style: none; margin: 4px 0 0; padding: 0; color: var(--quiet); }
    .tile .figure { font-size: 22px; font-weight: 600; display: block; overflow-wrap: anywhere; }
    .message { border: 1px solid var(--line); border-left-width: 5px; border-radius: 6px; padding: 2px 14px;
      margin: 12px 0; background: var(--note-soft); }
    .message strong { white-space: pre-line; }
    .message.good { border-color: var(--good); background: var(--good-soft); }
    .message.warning { border-color: var(--warn); background: var(--warn-soft); }
    .message.bad { border-color: var(--bad); background: var(--bad-soft); }
    .badge { border: 1px solid var(--line); border-radius: 10px; padding: 0 8px; font-size: 13px; white-space: nowrap; }
    .badge.good { color: var(--good); } .badge.warning { color: var(--warn); } .badge.bad { color: var(--bad); }
    form.action, .sign-in form { max-width: 640px; }
    form.action { margin-top: 16px; }
    .field { display: grid; gap: 3px; margin: 0 0 14px; }
    .field.check { grid-template-columns: auto 1fr; align-items: center; }
    .field.check small { grid-column: 1 / -1; }
    label { font-weight: 600; }
    input, select, textarea, button, .button { font: inherit; color: inherit; background: var(--paper);
      border: 1px solid var(--quiet); border-radius: 6px; padding: 6px 10px; max-width: 100%; }
    textarea { font-family: ui-monospace, monospace; font-size: 13px; width: 100%; }
    button, .button { cursor: pointer; background: var(--soft); text-decoration: none; display: inline-block; }
    button:hover, .button:hover { border-color: var(--ink); }
    button.primary { background: var(--link); border-color: var(--link); color: var(--paper); }
    button.danger { background: var(--bad); border-color: var(--bad); color: var(--paper); }
    .actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 16px 0; }
    form.search { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; }
    form.search .field { margin: 0; }
    body > header form.search { margin-left: auto; flex: 1 1 260px; max-width: 420px; flex-wrap: nowrap; }
    body > header input { flex: 1; min-width: 0; }
    main img { max-width: 100%; height: auto; }
    footer { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; padding: 12px 20px;
      border-top: 1px solid var(--line); color: var(--quiet); }
    footer form { display: flex; gap: 6px; }
    footer input { width: 180px; }
    @media (max-width: 600px) {
      main { padding: 8px 14px 32px; } body > header { padding: 8px 14px; }
      body > header form.search { max-width: none; flex-basis: 100%; }
    }
    @media print { body > header, footer, .actions, form { display: none; } }

    """
}
#endif
