package dev.howdah.examples.shop;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.view.RedirectView;
import org.springframework.web.util.HtmlUtils;

/** The page with the newest orders, and a form that places one. */
@RestController
class OrderPage {
    private final Orders orders;

    OrderPage(Orders orders) {
        this.orders = orders;
    }

    @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE + ";charset=UTF-8")
    String page() {
        StringBuilder rows = new StringBuilder();
        for (Orders.Order each : orders.newest())
            rows.append("<tr><td>")
                    .append(each.id())
                    .append("</td><td>")
                    .append(HtmlUtils.htmlEscape(each.customer()))
                    .append("</td><td>")
                    .append(each.state())
                    .append("</td></tr>\n");
        return """
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body>
                <h1>Orders</h1>
                <form method="post" action="/orders">
                <label>Customer <input name="customer" required maxlength="100"></label> <button>Order</button>
                </form>
                <table><tr><th>Order</th><th>Customer</th><th>State</th></tr>
                %s</table>
                </body></html>
                """.formatted(rows);
    }

    @PostMapping("/orders")
    RedirectView order(@RequestParam("customer") String customer) {
        orders.place(customer);
        return new RedirectView("/");
    }

    @ExceptionHandler(IllegalArgumentException.class)
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    String refused(IllegalArgumentException e) {
        return String.valueOf(e.getMessage());
    }
}
