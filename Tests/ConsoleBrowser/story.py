"""The console in a real browser: the steps of a shop's dashboard, every page in four forms, and its accessibility.

Arguments: the address of the console, a secret key, and the folder for screenshots. Exits with 1 if a step fails, a page
breaks a rule of accessibility, is wider than its window, or logs an error.
"""

import sys
import time

from axe_selenium_python import Axe
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

PAGES = [
    "", "customers", "customers?q=alice", "customers/alice", "customers/alice/history",
    "customers/alice/currencies/GEM", "customers/alice/grant", "customers/alice/erase", "catalog",
    "catalog/currencies/new", "catalog/products/gems_1200/edit", "catalog/document", "catalog/versions", "purchases",
    "webhooks", "webhooks/create", "keys", "keys/create", "reports", "reports/flows", "reports/unspent",
    "reports/statement?customer=alice", "reports/top-items", "reports/cohorts", "reports/shortfalls", "books",
    "books/prove", "nothing-here",
]


def open_browser(width, scheme):
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},1000"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    resize(browser, width, 1000)
    return browser


def resize(browser, width, height):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})


def wait_for(browser, condition):
    for _ in range(200):
        try:
            if condition():
                return
        except Exception:  # The page is being replaced.
            pass
        time.sleep(0.05)
    raise AssertionError(f"{browser.current_url}: {browser.find_element(By.TAG_NAME, 'main').text}")


def sign_in(browser, base, key):
    browser.get(base + "/sign-in")
    browser.find_element(By.NAME, "key").send_keys(key)
    browser.find_element(By.CSS_SELECTOR, "main button").click()
    wait_for(browser, lambda: browser.find_element(By.TAG_NAME, "h1").text == "Overview")


def fill(browser, url, values):
    """Fills a form, looks at the preview, and confirms it."""
    browser.get(url)
    for name, value in {**values, "reason": "browser story"}.items():
        field = browser.find_element(By.NAME, name)
        if field.tag_name == "select":
            Select(field).select_by_value(value)
        else:
            field.clear()
            field.send_keys(value)
    browser.find_element(By.CSS_SELECTOR, "button[value=preview]").click()
    wait_for(browser, lambda: browser.find_element(By.CSS_SELECTOR, "button[value=confirm]"))
    assert "Nothing has changed yet" in browser.find_element(By.TAG_NAME, "main").text
    browser.find_element(By.CSS_SELECTOR, "button[value=confirm]").click()
    wait_for(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, "button[value=confirm]"))
    assert not browser.find_elements(By.CSS_SELECTOR, ".message.bad"), browser.find_element(By.TAG_NAME, "main").text


def dashboard(browser, base):
    """The steps of the codelab's dashboard: a currency, a product that gives it, an offering that shows the product."""
    catalog = base + "/catalog"
    fill(browser, catalog + "/currencies/new", {"code": "STAR", "name": "Stars"})
    fill(
        browser, catalog + "/products/new",
        {
            "code": "stars_80", "type": "consumable", "store_ids": "apple=stars_80\ngoogle=stars_80",
            "localizations": "en_US=80 Stars", "prices": "USA=1.99", "grants": "STAR=80",
        })
    fill(browser, catalog + "/offerings/new", {"id": "stars", "packages": "only=stars_80"})
    fill(browser, catalog + "/current", {"offering": "stars"})
    fill(browser, base + "/customers/alice/grant", {"amount": "25"})


def look(browser, base, width, scheme, folder):
    problems = []
    for page in PAGES:
        browser.get(f"{base}/{page}" if page else base)
        wait_for(browser, lambda: browser.find_element(By.TAG_NAME, "footer"))
        wait_for(browser, lambda: "is being read" not in browser.find_element(By.TAG_NAME, "main").text)
        height = browser.execute_script("return document.documentElement.scrollHeight")
        resize(browser, width, min(height, 4000))
        name = page.replace("/", "-").replace("?", "-") or "overview"
        browser.save_screenshot(f"{folder}/{name}-{width}-{scheme}.png")
        resize(browser, width, 1000)
        if browser.execute_script("return document.documentElement.scrollWidth > window.innerWidth"):
            problems.append(f"{page} is wider than {width} px")
        axe = Axe(browser)
        axe.inject()
        for rule in axe.run()["violations"]:
            problems.append(f"{page}: {rule['id']}: {[node['html'][:120] for node in rule['nodes'][:3]]}")
    for entry in browser.get_log("browser"):
        # The page that does not exist is meant.
        if entry["level"] == "SEVERE" and "nothing-here" not in entry["message"]:
            problems.append(entry["message"])
    return problems


def main():
    base, key, folder = sys.argv[1] + "/console", sys.argv[2], sys.argv[3]
    problems = []
    for index, (width, scheme) in enumerate([(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]):
        browser = open_browser(width, scheme)
        try:
            sign_in(browser, base, key)
            if index == 0:
                dashboard(browser, base)
            problems += look(browser, base, width, scheme, folder)
        finally:
            browser.quit()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{4 * len(PAGES)} pages seen, {len(problems)} problems; screenshots are in {folder}")
    sys.exit(1 if problems else 0)


main()
