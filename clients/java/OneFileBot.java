// A whole bot for Sternhalma in Java: copy this file, make `choose` better, and play.
//
//     java OneFileBot.java HOST PORT NAME
//
// A server that starts bots itself tells them the same in STERNHALMA_HOST, STERNHALMA_PORT,
// STERNHALMA_NAME, STERNHALMA_SLOT and STERNHALMA_TOKEN. The lines are explained in protocol.md.
// Exit status: 0 if the event ended, 1 with a sentence on stderr if anything else did.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

public final class OneFileBot {
    private final OutputStream server;
    private final String login;
    private String seed = "";

    private OneFileBot(OutputStream server, String login) {
        this.server = server;
        this.login = login;
    }

    /**
     * One of the legal moves, such as `d5-e5`. `position` is the board as text, as in protocol.md;
     * `random` says the same again whenever the same turn comes again.
     */
    private static String choose(List<String> moves, String position, SplittableRandom random) {
        return moves.get(random.nextInt(moves.size()));
    }

    /** Answer every turn, and return what the server says as goodbye, null if it says nothing. */
    private String play(BufferedReader lines) throws IOException {
        for (String line; (line = lines.readLine()) != null; ) {
            if (line.startsWith("bye ")) {
                return line;
            }
            hear(line);
        }
        return null;
    }

    private void hear(String line) throws IOException {
        List<String> words = Arrays.asList(line.split(" "));
        switch (words.isEmpty() ? "" : words.get(0)) {
            case "sternhalma" -> {
                if (words.size() > 1 && words.get(1).equals("1")) {
                    say(login);
                }
            }
            case "game" -> seed = valueOf("seed=", words);
            case "turn" -> takeTurn(words);
            case "ping" -> say("pong " + words.get(1));
            case "error" -> complain("the server said: " + line); // what was sent cannot be played
            default -> { } // what a bot does not know it ignores
        }
    }

    /** turn GAME PLY MS and the six words of the position, then keys */
    private void takeTurn(List<String> words) throws IOException {
        String game = words.get(1);
        String ply = words.get(2);
        String position = String.join(" ", words.subList(4, 10));
        List<String> moves = Arrays.asList(valueOf("moves=", words).split(","));
        SplittableRandom random = new SplittableRandom((seed + " " + ply).hashCode());
        say("move " + game + " " + ply + " " + choose(moves, position, random));
    }

    private static String valueOf(String key, List<String> words) {
        return words.stream()
                .filter(word -> word.startsWith(key))
                .map(word -> word.substring(key.length()))
                .findFirst()
                .orElse("");
    }

    /** Send one line at once: an answer in a buffer loses on time. */
    private void say(String line) throws IOException {
        server.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String told(String word) {
        String value = System.getenv("STERNHALMA_" + word);
        return value == null ? "" : value;
    }

    private static void complain(String sentence) {
        System.err.println("OneFileBot: " + sentence);
    }

    private static int fail(String sentence) {
        complain(sentence);
        return 1;
    }

    private static int run(String host, String port, String name) {
        String slot = told("SLOT").isEmpty() ? "1" : told("SLOT");
        String token = told("TOKEN").isEmpty() ? "" : " token=" + told("TOKEN");
        try (Socket socket = new Socket(host, Integer.parseInt(port))) {
            socket.setTcpNoDelay(true);
            String login = "login " + name + " slot=" + slot + " moves=yes" + token;
            OneFileBot bot = new OneFileBot(socket.getOutputStream(), login);
            String farewell = bot.play(new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
            if (farewell == null) {
                return fail("the connection ended without a goodbye");
            }
            return farewell.startsWith("bye event-over") ? 0 : fail("the server said: " + farewell);
        } catch (UnknownHostException error) {
            return fail("cannot find the host '" + host + "'");
        } catch (IllegalArgumentException error) {
            return fail("expected a number from 0 to 65535 for PORT, got '" + port + "'");
        } catch (IOException error) {
            return fail(error.getMessage());
        }
    }

    public static void main(String[] given) {
        String[] told = {told("HOST"), told("PORT"), told("NAME")};
        String[] place = given.length > 0 ? given : told;
        if (place.length != 3 || Arrays.asList(place).contains("")) {
            System.exit(fail("usage: OneFileBot.java HOST PORT NAME"));
        }
        System.exit(run(place[0], place[1], place[2]));
    }
}
