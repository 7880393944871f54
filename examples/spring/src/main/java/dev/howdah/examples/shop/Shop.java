package dev.howdah.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application. */
@SpringBootApplication(proxyBeanMethods = false)
public class Shop {
    /** Starts it; {@code --spring.datasource.url} is its database. */
    public static void main(String[] arguments) {
        SpringApplication.run(Shop.class, arguments);
    }
}
