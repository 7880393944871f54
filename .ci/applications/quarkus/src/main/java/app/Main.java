package app;

import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

@QuarkusMain
public class Main implements QuarkusApplication {
    private final Orders orders;

    Main(Orders orders) {
        this.orders = orders;
    }

    @Override
    public int run(String... arguments) throws Exception {
        Check.orders(() -> orders.place("ann"), () -> orders.place(" "));
        return 0;
    }
}
