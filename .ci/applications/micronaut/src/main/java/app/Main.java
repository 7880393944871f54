package app;

import io.micronaut.runtime.Micronaut;

public class Main {
    public static void main(String[] arguments) throws Exception {
        try (var context = Micronaut.run(Main.class, arguments)) {
            Orders orders = context.getBean(Orders.class);
            Check.orders(() -> orders.place("ann"), () -> orders.place(" "));
        }
    }
}
