/**
 * Looks of the forms. Long words of a language wrap instead of widening the form beyond a small screen. Colours are the
 * editor's own, so that dark themes fit too. In a narrow window, as at a zoom of 200 %, the editor keeps the wish for width
 * of a wide one and hides the right half of a form behind the sidebar; ours take what there is, labels above inputs.
 */
export const styles = `.partner-exchange-form { contain: inline-size; min-width: 480px; }
.partner-exchange-form .form-row > label:first-child { width: 136px; overflow-wrap: anywhere; vertical-align: middle; }
.partner-exchange-form .form-row > input[type="text"], .partner-exchange-form .form-row > input[type="password"], .partner-exchange-form .form-row > select, .partner-exchange-form .form-row > .red-ui-typedInput-container { width: calc(100% - 146px) !important; }
.partner-exchange-options, .partner-exchange-more { margin: 12px 0; border-top: 1px solid var(--red-ui-secondary-border-color); padding-top: 8px; }
.partner-exchange-options summary, .partner-exchange-more summary { cursor: pointer; margin-bottom: 8px; font-weight: bold; }
.partner-exchange-form .partner-exchange-check { display: flex; align-items: baseline; }
.partner-exchange-form .partner-exchange-check > label { flex: 1 0 auto; width: 0; margin-left: 6px; }
.partner-exchange-check input[type="checkbox"] { flex: none; width: auto !important; margin: 0 0 0 140px; vertical-align: baseline; }
.partner-exchange-boxes { display: inline-block; width: calc(100% - 146px); vertical-align: top; }
.partner-exchange-boxes label { width: auto !important; display: inline-block; margin-right: 14px; }
.partner-exchange-boxes input[type="checkbox"] { width: auto !important; margin: 0 5px 0 0; vertical-align: baseline; }
.partner-exchange-unit { display: block; margin-left: 140px; font-size: 0.9em; opacity: 0.7; }
.partner-exchange-reason { display: block; margin-left: 140px; font-size: 0.9em; color: var(--red-ui-text-color-error); }
.partner-exchange-reason:empty { visibility: hidden; }
#partner-exchange-worth { min-height: 1.4em; }
code.partner-exchange-route { white-space: normal !important; overflow-wrap: anywhere; }
#partner-exchange-stream-tables { overflow-x: auto; }
#partner-exchange-stream-tables table { margin-bottom: 10px; font-size: 0.9em; }
#partner-exchange-stream-tables th, #partner-exchange-stream-tables td { padding: 2px 14px 2px 0; text-align: left; vertical-align: top; white-space: nowrap; }
#partner-exchange-stream-tables td:last-child { white-space: normal; }
#partner-exchange-test-result { margin-left: 140px; color: var(--red-ui-text-color-error); min-height: 1.4em; }
#partner-exchange-test-result.partner-exchange-good { color: var(--red-ui-text-color-success); }
@media (max-width: 900px) {
.red-ui-tray-body:has(.partner-exchange-form) { min-width: 0 !important; }
.partner-exchange-form { min-width: 0; }
.partner-exchange-form .form-row > label:first-child { display: block; width: auto; }
.partner-exchange-form .form-row > input[type="text"], .partner-exchange-form .form-row > input[type="password"], .partner-exchange-form .form-row > select, .partner-exchange-form .form-row > .red-ui-typedInput-container, .partner-exchange-boxes { width: 100% !important; }
.partner-exchange-check input[type="checkbox"], .partner-exchange-unit, .partner-exchange-reason, #partner-exchange-test-result { margin-left: 0; }
}`;
