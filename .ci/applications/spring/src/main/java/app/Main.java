package app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class Main {
    public static void main(String[] arguments) throws Exception {
        try (var context = SpringApplication.run(Main.class, arguments)) {
            Orders orders = context.getBean(Orders.class);
            Check.orders(() -> orders.place("ann"), () -> orders.place(" "));
        }
    }
}
